import { checkLinearizable, type History, showHistory, shrinkHistory } from '@lousho/conformance/checkers';
import { describe, expect, it } from 'vitest';
import { acquire, history, load, renew, save } from './support/calls.js';
import { modelHistory } from './support/model-history.js';

describe('a bad history', () => {
  it('is shrunk to the calls that show the fault', () => {
    const calls = [
      ...Array.from({ length: 20 }, (_, n) => ({ by: 'reader', does: load(null), atMs: n })),
      { by: 'a', does: acquire('owner-a'), atMs: 30 },
      { by: 'a', does: save('owner-a', 1), atMs: 31 },
      { by: 'reader', does: load(1), atMs: 32 },
      { by: 'b', does: acquire('owner-b', false), atMs: 33 },
      { by: 'b', does: acquire('owner-b'), atMs: 34 },
      { by: 'a', does: renew('owner-a', false), atMs: 35 },
      ...Array.from({ length: 20 }, (_, n) => ({ by: 'reader', does: load(1), atMs: 40 + n })),
    ];
    const short = shrinkHistory(history(calls));
    expect(short.calls.map(({ operation }) => operation)).toEqual([acquire('owner-a'), acquire('owner-b')]);
    expect(showHistory(short)).toBe(
      [
        'grace 500 ms',
        '200-205       0.030s-   0.030s a acquire by owner-a for 1000 ms -> true',
        '240-245       0.034s-   0.034s b acquire by owner-b for 1000 ms -> true',
      ].join('\n'),
    );
  });

  it('of a model with one save accepted that had to be refused becomes a few calls', () => {
    let found = 0;
    for (let seed = 0; seed < 60; seed++) {
      const good = modelHistory(seed);
      const at = good.calls.findIndex(
        ({ operation: { kind, answer } }) => kind === 'save' && answer === false,
      );
      if (at === -1) continue;
      const bad: History = {
        ...good,
        calls: good.calls.map((call, index) =>
          index === at && call.operation.kind === 'save'
            ? { ...call, operation: { ...call.operation, answer: true } }
            : call,
        ),
      };
      if (checkLinearizable(bad).kind !== 'violation') continue;
      found += 1;
      const short = shrinkHistory(bad);
      expect(checkLinearizable(short).kind).toBe('violation');
      expect(short.calls.length).toBeLessThanOrEqual(8);
    }
    expect(found).toBeGreaterThan(5);
  });

  it('that is good after all is left as it is', () => {
    const good = modelHistory(5);
    expect(shrinkHistory(good).calls).toEqual(good.calls);
  });
});
