import type { ConformanceHarness } from '@lousho/conformance';
import { type FaultOptions, runFaults } from '@lousho/conformance/faults';
import { describe, expect, it } from 'vitest';

describe('a broken store is found out by', () => {
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

/** What the cells have seen of broken promises; each of them ran. */
async function violations(fixture: string, options: FaultOptions): Promise<readonly string[]> {
  const { default: harness } = (await import(`./fixtures/${fixture}.harness.mjs`)) as {
    default: ConformanceHarness;
  };
  const results = await runFaults(harness, options);
  expect(results.map(({ outcome }) => outcome.kind)).not.toContain('not-run');
  return results.flatMap(({ outcome, figures }) =>
    outcome.kind === 'failed' && outcome.because === 'violation' ? (figures?.inconsistent ?? []) : [],
  );
}
