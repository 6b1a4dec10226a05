import { describe, expect, it } from 'vitest';
import { nothingMissed } from '../../src/faults/cells/nothing-missed.js';
import { type Shot, shotAt, strikeAt } from '../../src/faults/kill/aim.js';
import { parseTrace } from '../../src/faults/trace/strace-line.js';

const PLACE = { call: 'write', ordinal: 7, nth: 2, position: 3 };

describe('a place that is struck at', () => {
  it.each([
    ['in a run that counts as the traced one did', 7, [7]],
    ['too late, by what the run says of itself', 5, [7, 5]],
    ['too early, one call at a time', 9, [7, 8, 9]],
  ])('is hit %s', async (_how, actual, aims) => {
    const seen: number[] = [];
    const strike = async ({ ordinal }: { readonly ordinal: number }): Promise<Shot> => {
      seen.push(ordinal);
      if (ordinal < actual) return { isHit: false };
      return { isHit: ordinal === actual, ordinal: actual };
    };
    expect(await strikeAt(PLACE, strike)).toBe(true);
    expect(seen).toEqual(aims);
  });

  it('and never hit is told as missed, at some time', async () => {
    expect(await strikeAt(PLACE, async () => ({ isHit: false }))).toBe(false);
  });
});

describe('what was struck', () => {
  const trace = parseTrace(`
100 write(9<anon_inode:[eventfd]>, ""..., 8) = 8
100 write(5</data/a>, ""..., 1) = 1
100 write(9<anon_inode:[eventfd]>, ""..., 8) = 8
100 write(5</data/a>, ""..., 1) = ?
100 +++ killed by SIGKILL +++`);
  const neverReturned = (result: string | undefined) => result === undefined;

  it('is known by its number among the calls that touch the storage, however many others there were', () => {
    expect(shotAt(PLACE, trace, '/data', neverReturned)).toEqual({ isHit: true, ordinal: 4 });
  });

  it('is not the place when that returned, or never came', () => {
    expect(shotAt({ ...PLACE, nth: 1 }, trace, '/data', neverReturned)).toEqual({ isHit: false, ordinal: 2 });
    expect(shotAt({ ...PLACE, nth: 3 }, trace, '/data', neverReturned)).toEqual({ isHit: false });
  });
});

describe('a cell that missed some of its places', () => {
  const missed = ['write 2, call 4 of 11'];

  it('has not run, when all that it saw is fine', () => {
    expect(() => nothingMissed({ missed, inconsistent: [] })).toThrow('1 places were never hit: write 2');
  });

  it('has failed, when something that it saw is not', () => {
    expect(nothingMissed({ missed, inconsistent: ['lost'] })).toEqual({ inconsistent: ['lost'] });
  });
});
