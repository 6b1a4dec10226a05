import type { ConformanceHarness } from '@lousho/conformance';
import { type CellResult, type FaultOptions, runFaults } from '@lousho/conformance/faults';
import { describe, expect, it } from 'vitest';

// Tens of processes each: on a busy machine that takes its time.
const TIME_LIMIT = { timeout: 300_000 };

describe('a broken store is found out by', TIME_LIMIT, () => {
  it('a power cut, when SQLite syncs no commit and claims that it does (A38)', async () => {
    const found = await violations('sqlite-normal', { cells: ['power-loss:F1', 'power-loss:F2'] });
    expect(found.join('\n')).toMatch(/found .*; promised refund-7@2 refund-42@/);
  });

  it('a power cut, when the file store syncs no directory (A39)', async () => {
    const found = await violations('file-unsynced', { cells: ['power-loss:F1'] });
    expect(found.join('\n')).toMatch(/found nothing; promised refund-42@/);
  });

  it.each(['strace', 'fs shim'] as const)(
    'a kill by %s, when a file is overwritten in place',
    async (killBy) => {
      const found = await violations('careless', { cells: ['kill:F4'], killBy });
      expect(found.join('\n')).toMatch(/it cannot be read/);
    },
  );
});

describe('a kill by strace', TIME_LIMIT, () => {
  it('comes before each place that was seen, also when other writes come between in one run and not in the next', async () => {
    const [result] = await cellsOf('restless', { cells: ['kill:F4'], killBy: 'strace' });
    const { places, reached, mode, inconsistent } = result?.figures ?? {};
    // The folder, and five saves, each of which empties the file and writes it.
    expect({ mode, places, reached }).toEqual({ mode: 'strace', places: 11, reached: 11 });
    expect(inconsistent?.filter((text) => text.includes('it cannot be read')).length).toBeGreaterThanOrEqual(
      5,
    );
  });
});

/** What the cells have seen of broken promises; each of them ran. */
async function violations(fixture: string, options: FaultOptions): Promise<readonly string[]> {
  const results = await cellsOf(fixture, options);
  expect(results.map(({ outcome }) => outcome.kind)).not.toContain('not-run');
  return results.flatMap(({ outcome, figures }) =>
    outcome.kind === 'failed' && outcome.because === 'violation' ? (figures?.inconsistent ?? []) : [],
  );
}

async function cellsOf(fixture: string, options: FaultOptions): Promise<readonly CellResult[]> {
  const { default: harness } = (await import(`./fixtures/${fixture}.harness.mjs`)) as {
    default: ConformanceHarness;
  };
  return runFaults(harness, options);
}
