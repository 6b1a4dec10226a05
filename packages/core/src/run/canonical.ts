import { encode } from '../contract/index.js';
import { isPlainObject } from '../contract/plain-object.js';

/** A value's text with the keys of every object in order: equal for values that differ only in the order of their keys. */
export function canonical(value: unknown): string {
  return encode(sorted(value), 'arguments');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || !isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, sorted(entry)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
