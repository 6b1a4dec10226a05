import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CertifiedRule } from '@lousho/conformance';
import { type Verdict, verdictOf } from '@lousho/conformance/mutants';
import type { ChildReport, ChildRequest } from './patched-child.js';
import { patchedEnv } from './patched-env.js';
import type { PatchedControl, PatchedMutant } from './patched-mutant.js';

const CHILD = fileURLToPath(new URL('./patched-child.js', import.meta.url));

/** Holds a patched executor or store to the rules that it names. Rejects when it cannot be patched. */
export async function runPatchedMutant(mutant: PatchedMutant, seed: number): Promise<readonly Verdict[]> {
  const rules = await runPatched(mutant, { store: mutant.store, rules: mutant.killedBy, seed });
  return mutant.killedBy.map((rule) => verdictOf(rule, rules));
}

/** The rules that fail a control, of those that it must pass. */
export async function runPatchedControl(
  control: PatchedControl,
  seed: number,
): Promise<readonly CertifiedRule[]> {
  const found = await runPatched(control, { store: control.store, rules: control.passes, seed });
  return found.filter(({ outcome }) => outcome.kind === 'failed');
}

async function runPatched(
  { name, patches }: Pick<PatchedMutant, 'name' | 'patches'>,
  request: ChildRequest,
): Promise<readonly CertifiedRule[]> {
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
  return report.rules;
}
