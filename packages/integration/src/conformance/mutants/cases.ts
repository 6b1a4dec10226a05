import { CONTROLS, MUTANTS, runControl, runMutant, type Verdict } from '@lousho/conformance/mutants';
import { EXECUTOR_CONTROLS, EXECUTOR_MUTANTS } from './executor-mutants.js';
import { runPatchedControl, runPatchedMutant } from './run-patched.js';
import { runTestedMutant } from './run-tested.js';
import { SERVER_CONTROLS, SERVER_MUTANTS, TESTED_MUTANTS } from './server-mutants.js';
import { STORE_CONTROLS, STORE_MUTANTS } from './store-mutants.js';

/** A mutant or a control, whatever it is made of. */
export interface Case {
  readonly name: string;
  readonly says: string;
  /** A control must stay alive. */
  readonly kind: 'mutant' | 'control';
  /** What each rule made of it; of a control, those that failed it. */
  run(seed: number): Promise<readonly Verdict[]>;
}

export const CASES: readonly Case[] = [
  ...CONTROLS.map((control) => ({
    ...control,
    kind: 'control' as const,
    run: async (seed: number) => verdictsOn(await runControl(control, { seed })),
  })),
  ...[...EXECUTOR_CONTROLS, ...STORE_CONTROLS, ...SERVER_CONTROLS].map((control) => ({
    ...control,
    kind: 'control' as const,
    run: async (seed: number) => verdictsOn(await runPatchedControl(control, seed)),
  })),
  ...MUTANTS.map((mutant) => ({
    ...mutant,
    kind: 'mutant' as const,
    run: async (seed: number) => (await runMutant(mutant, { seed })).verdicts,
  })),
  ...[...EXECUTOR_MUTANTS, ...STORE_MUTANTS, ...SERVER_MUTANTS].map((mutant) => ({
    ...mutant,
    kind: 'mutant' as const,
    run: (seed: number) => runPatchedMutant(mutant, seed),
  })),
  ...TESTED_MUTANTS.map((mutant) => ({
    ...mutant,
    kind: 'mutant' as const,
    run: () => runTestedMutant(mutant),
  })),
];

function verdictsOn(failed: Awaited<ReturnType<typeof runPatchedControl>>): readonly Verdict[] {
  return failed.map(({ id, outcome }) => ({
    rule: id,
    seen: outcome.kind === 'failed' ? outcome.seen : outcome.kind,
    isKill: true,
  }));
}
