import type { ConformanceHarness } from '@lousho/conformance';
import { runFaults } from '@lousho/conformance/faults';
import { referenceHarness } from '@lousho/conformance/reference';
import { expect, it } from 'vitest';

it('a store that outlives no process claims none of what the disk and other processes are asked for', async () => {
  const results = await runFaults(referenceHarness({ name: 'reference', classes: {} }), { lanes: 1 });
  const kinds = new Set(results.map(({ outcome }) => outcome.kind));
  expect(kinds.has('failed')).toBe(false);
  expect(kinds.has('not-claimed')).toBe(true);
});

it('a cell that has no module by which to start another process is not run, and says so', async () => {
  const inner = referenceHarness({
    name: 'claims a disk',
    capabilities: { survives: 'power-loss', deathProof: 'process', reach: 'host' },
  });
  const { module: _, ...harness } = inner as ConformanceHarness & { module?: string };
  const [result] = await runFaults(harness, { cells: ['kill:F1'], lanes: 1 });
  expect(result?.outcome).toEqual({
    kind: 'not-run',
    reason: 'the harness names no module by which another process opens a storage',
  });
});
