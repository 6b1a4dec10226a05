// Runs rules in a process whose modules are patched: `node --import module-patches.js patched-child.js {"store":…,"rules":…,"seed":…}`.
import type { Certificate, ConformanceHarness } from '@lousho/conformance';
import { runConformance } from '@lousho/conformance';
import { referenceHarness } from '@lousho/conformance/reference';
import type { PatchedMutant } from './patched-mutant.js';
import { APPLIED } from './patches-variable.js';

export interface ChildRequest {
  readonly store: PatchedMutant['store'];
  /** All when absent. */
  readonly rules?: readonly string[];
  readonly seed: number;
}

export interface ChildReport {
  readonly rules: Certificate['rules'];
  /** URLs of the modules that were patched in this process. */
  readonly patched: readonly string[];
}

const { store, rules, seed } = JSON.parse(process.argv[2] ?? '{}') as ChildRequest;
const certificate = await runConformance(await harnessOf(store), {
  ...(rules && { rules }),
  seed,
  tier: store === 'reference' ? 0 : 1,
});
const patched = (globalThis as { [APPLIED]?: readonly string[] })[APPLIED] ?? [];
process.send?.({ rules: certificate.rules, patched } satisfies ChildReport);
process.disconnect?.();

async function harnessOf(name: PatchedMutant['store']): Promise<ConformanceHarness> {
  if (name === 'reference') return referenceHarness({ graceMs: 7_000 });
  const module = (await import(`../${name}.harness.js`)) as { default: ConformanceHarness };
  return module.default;
}
