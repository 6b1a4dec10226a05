import type { ConformanceHarness } from '@lousho/conformance';
import { type CellResult, type Figures, runFaults } from '@lousho/conformance/faults';
import { describe, expect, it } from 'vitest';

const isDeep = process.env.DEEP === '1';
/** Together these make what a change has to pass: 300 kills and 500 states, with DEEP 2,000 and 10,000. */
const LEAST = isDeep
  ? { file: { killed: 600, states: 600 }, sqlite: { killed: 1_700, states: 9_400 } }
  : { file: { killed: 150, states: 230 }, sqlite: { killed: 150, states: 330 } };

/** Cells that watch or strike at system calls, and say by what. */
const BY_TRACER = ['kill:', 'power-loss:', 'io-error:', 'leftovers:', 'stop:F'];

/** Holds one of our stores to every fault cell. */
export function faultTests(store: 'file' | 'sqlite'): void {
  describe(`the ${store} store`, { timeout: 1_800_000 }, () => {
    it('is consistent after SIGKILL before any call that changes the disk', async () => {
      const results = await kept(store, ['kill']);
      expect(sum(results, 'killed')).toBeGreaterThanOrEqual(LEAST[store].killed);
    });

    it('has lost nothing that it acknowledged after a power cut', async () => {
      const results = await kept(store, ['power-loss']);
      expect(sum(results, 'states')).toBeGreaterThanOrEqual(LEAST[store].states);
    });

    it('refuses with a code and changes nothing where the disk fails', async () => {
      await kept(store, ['io-error', 'full-disk', 'read-only-disk']);
    });

    it('is held by one run at a time, whoever stands still, whatever clocks and process ids say', async () => {
      await kept(store, ['stop', 'blocked-event-loop', 'clocks', 'namespaces', 'threads']);
    });

    it('lists every id and nothing else, and takes no id for a path', async () => {
      await kept(store, ['leftovers', 'hostile-ids', 'few-files']);
    });
  });
}

async function kept(store: string, cells: readonly string[]): Promise<readonly CellResult[]> {
  const path = `../../../dist/conformance/${store}.harness.js`;
  const { default: harness } = (await import(path)) as { default: ConformanceHarness };
  const results = await runFaults(harness, { cells, size: isDeep ? 'full' : 'sampled' });
  // What could not run is red where everything is set up for it, and said where not.
  const isFine = ({ outcome: { kind } }: CellResult) =>
    kind === 'passed' || kind === 'not-claimed' || (kind === 'not-run' && !process.env.CI);
  expect(
    results.filter((result) => !isFine(result)).map(({ cell, outcome }) => ({ cell: cell.id, outcome })),
  ).toEqual([]);
  for (const { cell, outcome } of results)
    if (outcome.kind === 'not-run') console.warn(`${cell.id}: ${outcome.reason}`);
  // A tracer sees every call; what takes its place where there is none sees those of node:fs.
  const traced = results.filter(({ cell: { id } }) => BY_TRACER.some((name) => id.startsWith(name)));
  const modes = new Set(traced.flatMap(({ figures }) => (figures ? [figures.mode] : [])));
  if (traced.length > 0 && process.env.CI) expect([...modes]).toEqual(['strace']);
  for (const mode of modes) expect(['strace', 'fs shim']).toContain(mode);
  return results;
}

function sum(results: readonly CellResult[], figure: keyof Omit<Figures, 'inconsistent' | 'mode'>): number {
  return results.reduce((total, { figures }) => total + (figures?.[figure] ?? 0), 0);
}
