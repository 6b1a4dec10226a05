// Runs rules and fault cells in a process whose modules are patched, as are those of all that it starts:
// `node --import module-patches.js patched-child.js {"store":…,"rules":…,"cells":…,"seed":…}`.
import type { CertifiedRule, ConformanceHarness } from '@lousho/conformance';
import { runConformance } from '@lousho/conformance';
import { runFaults } from '@lousho/conformance/faults';
import { referenceHarness } from '@lousho/conformance/reference';
import type { PatchedMutant } from './patched-mutant.js';
import { APPLIED } from './patches-variable.js';

export interface ChildRequest {
  readonly store: PatchedMutant['store'];
  readonly rules: readonly string[];
  /** Fault cells. */
  readonly cells: readonly string[];
  readonly seed: number;
}

export interface ChildReport {
  /** What became of each rule and cell. */
  readonly found: readonly Pick<CertifiedRule, 'id' | 'outcome'>[];
  /** URLs of the modules that were patched in this process. */
  readonly patched: readonly string[];
}

const { store, rules, cells, seed } = JSON.parse(process.argv[2] ?? '{}') as ChildRequest;
const harness = await harnessOf(store);
const found = [...(await heldToRules()), ...(await heldToCells())];
const patched = (globalThis as { [APPLIED]?: readonly string[] })[APPLIED] ?? [];
process.send?.({ found, patched } satisfies ChildReport);
process.disconnect?.();

async function heldToRules(): Promise<ChildReport['found']> {
  if (rules.length === 0) return [];
  const tier = store === 'reference' ? 0 : 1;
  return (await runConformance(harness, { rules, seed, tier })).rules;
}

async function heldToCells(): Promise<ChildReport['found']> {
  if (cells.length === 0) return [];
  const results = await runFaults(harness, { cells, seed, untilFirst: true });
  return results.map(({ cell: { id }, outcome }) => ({ id, outcome }));
}

async function harnessOf(name: PatchedMutant['store']): Promise<ConformanceHarness> {
  if (name === 'reference') return referenceHarness({ graceMs: 7_000 });
  const module = (await import(`../${name}.harness.js`)) as { default: ConformanceHarness };
  return module.default;
}
