import type { Random } from './random.js';

/** Any value that a store keeps: JSON plus `Uint8Array`, with the shapes in it that stores have got wrong. */
export function storable(random: Random, depth = 0): unknown {
  const kinds = depth < 4 ? 9 : 6;
  switch (random.int(kinds)) {
    case 0:
      return text(random);
    case 1:
      return random.chance(0.5);
    case 2:
      return null;
    case 3:
      return random.pick(NUMBERS);
    case 4:
      return (random.int(2 ** 31) - 2 ** 30) / random.pick([1, 3, 1e9, 1e-9]);
    case 5:
      return Uint8Array.from(random.list(40, () => random.int(256)));
    case 6:
      return random.list(4, () => storable(random, depth + 1));
    default:
      return record(random, depth + 1);
  }
}

/** Any text that JavaScript can hold: NUL and lone surrogates included. */
export function text(random: Random): string {
  const pieces = random.list(6, () =>
    random.chance(0.5) ? random.pick(TEXTS) : String.fromCharCode(random.int(0x10000)),
  );
  return pieces.join('');
}

/** A value nested so many levels deep. */
export function nested(levels: number): unknown {
  let value: unknown = 'innermost';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { value } : [value];
  return value;
}

function record(random: Random, depth: number): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (let left = random.int(5); left > 0; left--) {
    const key = random.chance(0.2) ? random.pick(KEYS) : text(random);
    // defineProperty: a key named __proto__ is data here.
    Object.defineProperty(made, key, {
      value: storable(random, depth),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return made;
}

const KEYS = ['__proto__', 'constructor', 'toJSON', '$bytes', '$$bytes', '', '0', '10', 'at', 'sessionId'];
const TEXTS = [
  '\u0000',
  '\ud800',
  '\udc00\ud800',
  '\u{1f600}',
  '\n',
  '\r\n',
  '\u2028',
  '"',
  '\\',
  'a',
  '{}',
  '\ufeff',
];
const NUMBERS = [0, -0, 1e21, 5e-324, Number.MAX_VALUE, 2 ** 53 - 1, -(2 ** 53 - 1), 0.1 + 0.2, -1.5e-10, 1];
