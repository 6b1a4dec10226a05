import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EXECUTOR_MUTANTS } from '../../dist/conformance/mutants/executor-mutants.js';
import { runPatchedMutant } from '../../dist/conformance/mutants/run-patched.js';
import { runTestedMutant } from '../../dist/conformance/mutants/run-tested.js';
import { SERVER_MUTANTS, TESTED_MUTANTS } from '../../dist/conformance/mutants/server-mutants.js';
import { STORE_MUTANTS } from '../../dist/conformance/mutants/store-mutants.js';

const CLI = fileURLToPath(new URL('../../dist/conformance/cli.js', import.meta.url));

describe('every rule and fault cell that a broken executor or store names sees it, by an assertion', () => {
  it.each(
    [...EXECUTOR_MUTANTS, ...STORE_MUTANTS, ...SERVER_MUTANTS].map(
      (mutant) => [mutant.name, mutant] as const,
    ),
  )(
    '%s',
    async (_name, mutant) => {
      const verdicts = await runPatchedMutant(mutant, 1);
      expect(verdicts.filter(({ isKill }) => !isKill)).toEqual([]);
      expect(verdicts).toHaveLength(mutant.killedBy.length);
    },
    // Fault cells start and kill tens of processes.
    300_000,
  );

  it('a patch that no longer fits is an error, not a mutant', async () => {
    const [mutant] = EXECUTOR_MUTANTS;
    if (!mutant) throw new Error('there is one');
    const patches = [{ file: 'core/dist/executor/recorder.js', find: 'nowhere to be found', replace: '' }];
    await expect(runPatchedMutant({ ...mutant, patches }, 1)).rejects.toThrow('has 0 places that read');
  });
});

describe('every test that a broken store on a server names', { timeout: 120_000 }, () => {
  const [mutant] = TESTED_MUTANTS.filter(({ name }) => name === 'kv-first-page');
  if (!mutant) throw new Error('there is one');
  const verdictsOf = (changes: Partial<typeof mutant>) => runTestedMutant({ ...mutant, ...changes });

  // The others: server-mutants.deep.test.ts.
  it('sees it, by an assertion', async () => {
    expect(await verdictsOf({})).toMatchObject([{ isKill: true }]);
  });

  it('passes when nothing is broken, which is no kill', async () => {
    expect(await verdictsOf({ patches: [] })).toEqual([
      { rule: mutant.killedBy[0], seen: 'passed', isKill: false },
    ]);
  });

  it('is there', async () => {
    expect(await verdictsOf({ killedBy: [...mutant.killedBy, 'no such test'] })).toMatchObject([
      { isKill: true },
      { seen: 'there is no such test', isKill: false },
    ]);
  });

  it('is run on a patch that fits', async () => {
    const patches = [{ file: 'store-kv/dist/kv-values.js', find: 'nowhere to be found', replace: '' }];
    await expect(verdictsOf({ patches })).rejects.toThrow('has 0 places that read');
  });
});

describe('npm run conformance -- mutants', () => {
  it('says by which rule a mutant was killed, and exits with 0', async () => {
    const { code, stdout } = await mutants('--only', 'save-unfenced');
    expect(stdout).toContain('save-unfenced  killed by FENCE-02, FENCE-04');
    expect(stdout).toContain('1 of 1 mutants killed');
    expect(code).toBe(0);
  });

  it('exits with 2 when there is no such mutant', async () => {
    expect((await mutants('--only', 'no-such-mutant')).code).toBe(2);
  });
});

function mutants(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, 'mutants', ...args], (error, stdout) => {
      resolve({ code: error ? Number(error.code) : 0, stdout });
    });
  });
}
