import { type Chain, chainFaults, type OfferedSave } from '@lousho/conformance/checkers';
import { describe, expect, it } from 'vitest';

const accepted = (n: number, parent: number | null): OfferedSave => ({ n, parent, outcome: 'accepted' });
const refused = (n: number, parent: number | null): OfferedSave => ({ n, parent, outcome: 'refused' });
const unknown = (n: number, parent: number | null): OfferedSave => ({ n, parent, outcome: 'unknown' });

const THREE: Chain = {
  offered: [accepted(1, null), refused(9, 1), accepted(2, 1), accepted(3, 2)],
  seen: [null, 1, 2, 3],
  final: 3,
  history: [3, 2, 1],
  historyLimit: 50,
};

describe('the chain of an id', () => {
  it.each<[string, Chain]>([
    ['three saves', THREE],
    ['nothing', { offered: [], seen: [null], final: null, history: [] }],
    ['a store without history', { offered: [accepted(1, null)], seen: [], final: 1 }],
    ['a history that forgets', { ...THREE, history: [3, 2], historyLimit: 2 }],
    ['a history that keeps none', { ...THREE, history: [], historyLimit: 0 }],
    [
      'an unknown save that is in',
      { ...THREE, offered: [...THREE.offered, unknown(4, 3)], final: 4, history: [4, 3, 2, 1] },
    ],
    ['an unknown save that is not', { ...THREE, offered: [...THREE.offered, unknown(4, 3), unknown(5, 2)] }],
    [
      'an unknown save that was continued',
      { offered: [unknown(1, null), accepted(2, 1)], seen: [], final: 2, history: [2, 1] },
    ],
    ['a deleted id', { ...THREE, final: null, history: [], deletes: 1 }],
    [
      'an id that began anew after a delete',
      {
        offered: [...THREE.offered, accepted(4, null)],
        seen: [3, null, 4],
        final: 4,
        history: [4],
        deletes: 1,
      },
    ],
  ])('holds: %s', (_, chain) => {
    expect(chainFaults(chain)).toEqual([]);
  });

  it.each<[string, Chain, RegExp]>([
    [
      '1 two saves continue one',
      { ...THREE, offered: [...THREE.offered, accepted(4, 2)] },
      /2 was continued 2 times/,
    ],
    [
      '1 two saves begin',
      { ...THREE, offered: [...THREE.offered, accepted(4, null)] },
      /the beginning was continued/,
    ],
    ['2 a value of nobody', { ...THREE, seen: [77] }, /77 was saved by nobody/],
    ['2 a history entry of nobody', { ...THREE, history: [3, 77, 1] }, /77 was saved by nobody/],
    ['2 a refused save was loaded', { ...THREE, seen: [9] }, /9 was refused and is there/],
    [
      '2 a refused save was continued',
      { ...THREE, offered: [...THREE.offered, accepted(10, 9)] },
      /9 was refused/,
    ],
    ['3 an accepted save is lost', { ...THREE, final: 2, history: [2, 1] }, /accepted saves are lost: 3/],
    ['3 all are lost', { ...THREE, final: null, history: [] }, /accepted saves are lost: 1, 2, 3/],
    ['4 an entry is missing', { ...THREE, history: [3, 1] }, /history has 1 where 2 belongs/],
    ['4 the oldest is missing', { ...THREE, history: [3, 2] }, /2 entries, and 3 saves are to be kept/],
    ['4 the order is wrong', { ...THREE, history: [3, 1, 2] }, /history has 1 where 2 belongs/],
    ['4 it keeps too many', { ...THREE, historyLimit: 2 }, /3 entries, more than 2/],
    ['4 an entry is there twice', { ...THREE, history: [3, 3, 2, 1] }, /history has 3 where 2 belongs/],
    [
      '5 the newest entry is another',
      { ...THREE, history: [2, 1] },
      /load\(\) gives 3, the newest entry of history is 2/,
    ],
    [
      '6 an unknown save counts beside an accepted one',
      { ...THREE, offered: [...THREE.offered, unknown(4, 2)], seen: [4] },
      /2 was continued 2 times/,
    ],
    [
      '6 a number was offered twice',
      { ...THREE, offered: [...THREE.offered, unknown(3, 2)] },
      /3 was offered twice/,
    ],
  ])('is broken: %s', (_, chain, fault) => {
    expect(chainFaults(chain).join('\n')).toMatch(fault);
  });

  it('of a hundred thousand saves is judged in one pass', () => {
    const offered = Array.from({ length: 100_000 }, (_, n) => accepted(n + 1, n === 0 ? null : n));
    const history = Array.from({ length: 50 }, (_, n) => 100_000 - n);
    expect(chainFaults({ offered, seen: [], final: 100_000, history, historyLimit: 50 })).toEqual([]);
  });
});
