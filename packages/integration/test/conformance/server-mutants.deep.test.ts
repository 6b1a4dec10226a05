import { expect, it } from 'vitest';
import { runTestedMutant } from '../../dist/conformance/mutants/run-tested.js';
import { TESTED_MUTANTS } from '../../dist/conformance/mutants/server-mutants.js';

it.each(TESTED_MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  '%s is seen by every test that it names, by an assertion',
  async (_name, mutant) => {
    const verdicts = await runTestedMutant(mutant);
    expect(verdicts.filter(({ isKill }) => !isKill)).toEqual([]);
    expect(verdicts).toHaveLength(mutant.killedBy.length);
  },
);
