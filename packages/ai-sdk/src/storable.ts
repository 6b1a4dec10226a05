/**
 * A value of a provider as JSON plus `Uint8Array`, which is all that can be stored: dates, URLs and whatever else has a `toJSON` become
 * that, what has no such form is left out. Metadata is JSON by its type, and not always in fact; a run must not fail by it.
 */
export function storable(value: unknown): unknown {
  return convert(value, []);
}

function convert(value: unknown, ancestors: readonly object[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : convertObject(value, ancestors);
    default:
      return undefined;
  }
}

function convertObject(value: object, ancestors: readonly object[]): unknown {
  if (value instanceof Uint8Array) return value;
  if (ancestors.includes(value)) return undefined;
  const above = [...ancestors, value];
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), above);
  if (Array.isArray(value)) return value.map((entry) => convert(entry, above) ?? null);
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, entry]) => [key, convert(entry, above)] as const)
      .filter(([, entry]) => entry !== undefined),
  );
}
