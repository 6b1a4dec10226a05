import fc from 'fast-check';

/** Any text that JavaScript can hold: NUL and lone surrogates included. */
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.nat(0xffff).map(toCodeUnit) }));

const key = fc.oneof(
  { weight: 6, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'toJSON', '$bytes', '$$bytes', '', '0', '10'),
  },
);

const bytes = fc.uint8Array({ maxLength: 40 });

/** What a store keeps: JSON plus `Uint8Array`. */
export const storable: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    bytes,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(toRecord),
  ),
})).value;

/** Two values side by side as a reader sees them: `-0`, `__proto__` keys, key order and the type of bytes count. */
export function seen(value: unknown): unknown {
  if (Object.is(value, -0)) return 'number -0';
  if (value instanceof Uint8Array) return ['bytes', ...value];
  if (Array.isArray(value)) return ['array', ...value.map(seen)];
  if (typeof value !== 'object' || value === null) return value;
  return ['object', ...Object.entries(value).map(([name, entry]) => [name, seen(entry)])];
}

export function nested(levels: number): unknown {
  let value: unknown = 'innermost';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { value } : [value];
  return value;
}

function toRecord(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return record;
}

function toCodeUnit(code: number): string {
  return String.fromCharCode(code);
}
