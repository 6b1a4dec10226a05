import { same, show } from '@lousho/conformance';
import { describe, expect, it } from 'vitest';

const proto = (value: string) => JSON.parse(`{"__proto__":${value}}`) as unknown;

describe('same', () => {
  it.each([
    [1, 1],
    [Number.NaN, Number.NaN],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: undefined }, {}],
    [
      [1, [2]],
      [1, [2]],
    ],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
    [proto('1'), proto('1')],
  ])('%o is %o', (a, b) => {
    expect(same(a, b)).toBe(true);
  });

  it.each([
    [0, -0],
    [1, '1'],
    [null, undefined],
    [{}, []],
    [[1], [1, undefined]],
    [{ a: 1 }, { a: 1, b: 2 }],
    [new Uint8Array([1]), [1]],
    [new Uint8Array([1]), new Uint8Array([2])],
    [proto('1'), {}],
    [proto('1'), proto('2')],
    [null, {}],
  ])('%o is not %o', (a, b) => {
    expect(same(a, b)).toBe(false);
    expect(same(b, a)).toBe(false);
  });

  it('compares values that are nested deeper than the stack', () => {
    let [a, b]: unknown[] = [1, 1];
    for (let level = 0; level < 50_000; level++) [a, b] = [[a], [b]];
    expect(same(a, b)).toBe(true);
  });
});

describe('show', () => {
  it('shows what JSON would not', () => {
    expect(show({ n: -0, b: new Uint8Array([1, 255]), u: undefined, big: 1n, t: 'a"' })).toBe(
      '{ n: -0, b: bytes(1 255), u: undefined, big: 1n, t: "a\\"" }',
    );
  });

  it('is short', () => {
    expect(show('x'.repeat(10_000)).length).toBeLessThan(700);
  });
});
