import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CELLS } from '@lousho/conformance/faults';
import { type Verdict, verdictOf } from '@lousho/conformance/mutants';
import type { ChildReport, ChildRequest } from './patched-child.js';
import { patchedEnv } from './patched-env.js';
import type { PatchedControl, PatchedMutant } from './patched-mutant.js';

const CHILD = fileURLToPath(new URL('./patched-child.js', import.meta.url));

/** Holds a patched executor or store to the rules and fault cells that it names. Rejects when it cannot be patched. */
export async function runPatchedMutant(mutant: PatchedMutant, seed: number): Promise<readonly Verdict[]> {
  const found = await runPatched(mutant, mutant.killedBy, seed);
  return mutant.killedBy.map((name) => verdictOf(name, found));
}

/** The rules and cells that fail a control, or could not be run on it, of those that it must pass. */
export async function runPatchedControl(
  control: PatchedControl,
  seed: number,
): Promise<ChildReport['found']> {
  const found = await runPatched(control, control.passes, seed);
  return found.filter(({ outcome: { kind } }) => kind === 'failed' || kind === 'not-run');
}

async function runPatched(
  { name, store, patches }: Pick<PatchedMutant, 'name' | 'store' | 'patches'>,
  heldTo: readonly string[],
  seed: number,
): Promise<ChildReport['found']> {
  const isCell = (id: string) => CELLS.some((cell) => cell.id === id);
  const request: ChildRequest = {
    store,
    rules: heldTo.filter((id) => !isCell(id)),
    cells: heldTo.filter(isCell),
    seed,
  };
  const child = fork(CHILD, [JSON.stringify(request)], {
    env: patchedEnv(patches),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  let report: ChildReport | undefined;
  child.once('message', (message) => {
    report = message as ChildReport;
  });
  await once(child, 'close');
  if (!report) throw new Error(`${name}: the process ended without a report\n${stderr}`);
  const files = new Set(patches.map(({ file }) => file));
  const missed = [...files].filter((file) => !report?.patched.some((url) => url.endsWith(`/${file}`)));
  if (missed.length > 0) throw new Error(`${name}: ${missed.join(', ')} was never loaded`);
  return report.found;
}
