import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConformanceHarness } from '@lousho/conformance';
import { hostClockOver } from '@lousho/core/node';
import { SqliteStore } from '@lousho/store-sqlite';

const harness: ConformanceHarness = {
  name: 'sqlite',
  seams: ['clock', 'historyLimit', 'graceMs'],
  module: import.meta.url,
  createStorage: async ({ clock, ...options }) => {
    const dir = await mkdtemp(join(tmpdir(), 'lousho-sqlite-'));
    const path = join(dir, 'runs.db');
    return {
      config: path,
      open: async () => new SqliteStore(path, { ...options, clock: hostClockOver(clock) }),
      damage: (sessionId) => scribble(path, sessionId),
      dispose: () => rm(dir, { recursive: true, force: true }),
    };
  },
};

export default harness;

export const openFromConfig = (config: unknown) => new SqliteStore(config as string);

/** Breaks the JSON of every head of an id, as it stands in the database file. */
async function scribble(path: string, sessionId: string): Promise<void> {
  const text = await readFile(path, 'latin1');
  await writeFile(
    path,
    text.replaceAll(`{"sessionId":"${sessionId}"`, `?"sessionId":"${sessionId}"`),
    'latin1',
  );
}
