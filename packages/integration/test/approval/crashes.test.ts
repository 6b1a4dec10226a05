import { describe, expect, it } from 'vitest';
import { onFullStores } from '../harness/on-stores.js';
import { moreThanOn, strideOn } from '../harness/stride.js';
import { type DecisionScenario, exploreDecisionCrashes } from './support/decision-crashes.js';
import { calls } from './support/workshop.js';

const isDeep = process.env.DEEP === '1';

const oneOfThree = { turns: [calls('a', 'b', 'c'), 'done'], open: ['a', 'c'], gated: ['b'] };
const twoOfThree = { turns: [calls('a', 'b', 'c'), 'done'], open: ['b'], gated: ['a', 'c'] };

const SCENARIOS: Readonly<Record<string, DecisionScenario>> = {
  '1 of 3 gated, approved': { ...oneOfThree, verdicts: [['b', 'approve']] },
  '1 of 3 gated, rejected': { ...oneOfThree, verdicts: [['b', 'reject']] },
  '1 of 3 gated, approved too late': { ...oneOfThree, verdicts: [['b', 'late']] },
  '2 of 3 gated, both approved': {
    ...twoOfThree,
    verdicts: [
      ['a', 'approve'],
      ['c', 'approve'],
    ],
  },
  '2 of 3 gated, decided in reversed order, one rejected': {
    ...twoOfThree,
    verdicts: [
      ['c', 'approve'],
      ['a', 'reject'],
    ],
  },
  '2 of 3 gated, the second too late': {
    ...twoOfThree,
    verdicts: [
      ['a', 'approve'],
      ['c', 'late'],
    ],
  },
  '2 of 3 gated, decided at once': {
    ...twoOfThree,
    verdicts: [
      ['c', 'approve'],
      ['a', 'approve'],
    ],
    isAtOnce: true,
  },
  'two people decide one call at once, differently': {
    ...oneOfThree,
    verdicts: [
      ['b', 'reject'],
      ['b', 'approve'],
    ],
    isAtOnce: true,
  },
  'two pauses, and a call that runs at most once beside them': {
    turns: [calls('b', 'once'), calls('a', 'c'), 'done'],
    open: ['a'],
    gated: ['b', 'c'],
    once: ['once'],
    verdicts: [
      ['b', 'approve'],
      ['c', 'approve'],
    ],
  },
};

describe('a process that dies at any operation of a pause and its decisions', () => {
  onFullStores((newStorage, kind) => {
    it.each(Object.entries(SCENARIOS))(
      '%s: all six guarantees hold, nobody is asked twice, no decision is lost',
      async (_, scenario) => {
        const report = await exploreDecisionCrashes(scenario, newStorage, { every: strideOn(kind, 9) });
        expect(report.problems).toEqual([]);
        expect(report.explored).toBeGreaterThan(moreThanOn(kind, 40, 5));
      },
    );

    it('also when the process that recovers dies as well', async () => {
      for (const scenario of Object.values(SCENARIOS)) {
        const { problems } = await exploreDecisionCrashes(scenario, newStorage, {
          every: kind === 'memory' && !isDeep ? 3 : strideOn(kind, 17),
          second: (index) => ({ n: 1 + ((index * 7) % 23), side: index % 2 === 0 ? 'after' : 'before' }),
        });
        expect(problems).toEqual([]);
      }
    });
  });
});
