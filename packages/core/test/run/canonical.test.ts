import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../dist/run/canonical.js';

describe('the canonical form of arguments', () => {
  it('is the same for the same values in another order of keys, at any depth', () => {
    const one = { amount: 10, to: { iban: 'x', name: 'y' }, tags: [{ a: 1, b: 2 }] };
    const other = { tags: [{ b: 2, a: 1 }], to: { name: 'y', iban: 'x' }, amount: 10 };
    expect(canonical(one)).toBe(canonical(other));
  });

  it.each([
    [{ amount: 10 }, { amount: 11 }],
    [{ amount: 10 }, { amount: '10' }],
    [{ list: [1, 2] }, { list: [2, 1] }],
    [{ a: null }, {}],
    [{ a: {} }, { a: [] }],
    [{ bytes: new Uint8Array([1]) }, { bytes: new Uint8Array([2]) }],
    [
      { '1': 'a', b: 1 },
      { '1': 'b', b: 1 },
    ],
  ])('%j differs from %j', (one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });

  it('any JSON value: equal to itself with every object rebuilt backwards, and no other', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(canonical(backwards(one))).toBe(canonical(one));
        const areSame = JSON.stringify(forwards(one)) === JSON.stringify(forwards(other));
        expect(canonical(one) === canonical(other)).toBe(areSame);
      }),
      { numRuns: 300 },
    );
  });

  it('a key named __proto__ is a key', () => {
    expect(canonical(JSON.parse('{"__proto__":1,"a":2}'))).not.toBe(canonical({ a: 2 }));
  });

  it.each([
    ['a function', { run: () => 1 }],
    ['a date', { at: new Date() }],
    ['a bigint', { n: 1n }],
  ])('%s has none: it is refused', (_, value) => {
    expect(() => canonical(value)).toThrow();
  });
});

/** The same value with every object's keys in reversed order. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, entry]) => [key, backwards(entry)]));
}

/** The same value with every object's keys sorted, by another way than the one under test. */
function forwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forwards);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return { keys, values: keys.map((key) => forwards((value as Record<string, unknown>)[key])) };
}
