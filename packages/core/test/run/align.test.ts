import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { align } from '../../dist/run/align.js';

const text = (a: string, b: string) =>
  align([...a], [...b])
    .map((pair) => `${pair.a === undefined ? '' : a[pair.a]}${pair.b === undefined ? '' : b[pair.b]}`)
    .join(' ');

describe('an alignment', () => {
  it.each([
    ['', '', ''],
    ['abc', 'abc', 'aa bb cc'],
    ['abc', '', 'a b c'],
    ['', 'ab', 'a b'],
    ['abc', 'axbc', 'aa x bb cc'],
    ['axbc', 'abc', 'aa x bb cc'],
    ['abc', 'xyz', 'a b c x y z'],
    ['aab', 'ab', 'aa a bb'],
  ])('of %j and %j', (a, b, wanted) => {
    const sorted = (line: string) => line.split(' ').toSorted().join(' ');
    expect(sorted(text(a, b))).toBe(sorted(wanted));
  });

  it('has every element of both once, in order, pairs only equal ones, and as many as possible', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const pairs = align(a, b);
        const left = pairs.flatMap((pair) => (pair.a === undefined ? [] : [pair.a]));
        const right = pairs.flatMap((pair) => (pair.b === undefined ? [] : [pair.b]));
        expect(left).toEqual(a.map((_, index) => index));
        expect(right).toEqual(b.map((_, index) => index));
        const shared = pairs.filter((pair) => pair.a !== undefined && pair.b !== undefined);
        for (const pair of shared) expect(a[pair.a as number]).toBe(b[pair.b as number]);
        expect(shared.length).toBe(longestCommon(a, b));
      }),
      { numRuns: 300 },
    );
  });
});

/** By trying everything. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const [first, ...rest] = a;
  const at = b.indexOf(first as string);
  const without = longestCommon(rest, b);
  return at === -1 ? without : Math.max(without, 1 + longestCommon(rest, b.slice(at + 1)));
}
