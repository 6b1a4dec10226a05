import { exploreCrashes } from '@lousho/core/testing';
import { promiseSame } from '../../check/promise.js';
import { type Check, sentence } from '../../model/rule.js';
import { BASIC } from '../methods.js';
import { SCENARIOS, type ScriptedScenario, scenarioOn } from './scenario.js';

const needs = { methods: BASIC, reads: ['latest'], seams: ['clock'] } as const;

/** Runs that die at every one of their operations, on scenarios of different shapes. */
export const guaranteePrefix = [
  ...sentence(
    'PREFIX-01',
    "Wherever a run's process dies, the run that is resumed continues the stored transcript and ends as the undisturbed one.",
    ...scenarios((name, scenario) => ({
      name,
      check: async (world) => {
        const { findings } = await exploreCrashes(scenarioOn(world, scenario));
        promiseSame('what is found after the crashes', findings, []);
      },
    })),
  ),
  ...sentence(
    'EFFECT-01',
    'A stored model answer is never asked for again, and a call whose result is stored is never run again.',
    ...scenarios((name, scenario) => ({
      name,
      check: async (world) => {
        const report = await exploreCrashes(scenarioOn(world, scenario), {
          pick: ({ side }) => side === 'after',
        });
        promiseSame('the stored answers that were asked for again', report.repeatedModelCalls, 0);
        promiseSame('the stored results that were computed again', report.repeatedTools, 0);
      },
    })),
  ),
];

function scenarios(
  checkOf: (name: string, scenario: ScriptedScenario) => Pick<Check, 'name' | 'check'>,
): Check[] {
  return Object.entries(SCENARIOS).map(([name, scenario], index) => {
    const { name: own, ...rest } = checkOf(name, scenario);
    return {
      ...rest,
      // The first one stands for the sentence.
      ...(index > 0 && own !== undefined && { name: own }),
      needs,
      under: 'fault',
      timeLimitMs: 60_000,
    };
  });
}
