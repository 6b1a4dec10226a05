import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConformanceHarness } from '@lousho/conformance';
import { hostClockOver } from '@lousho/core/node';
import { fileStore } from '@lousho/store-file';

const harness: ConformanceHarness = {
  name: 'file',
  seams: ['clock', 'historyLimit', 'graceMs'],
  module: import.meta.url,
  createStorage: async ({ clock, ...options }) => {
    const dir = await mkdtemp(join(tmpdir(), 'lousho-file-'));
    return {
      config: dir,
      open: async () => fileStore(dir, { ...options, clock: hostClockOver(clock) }),
      damage: (sessionId) => scribble(join(dir, 'checkpoints', sessionId)),
      dispose: () => rm(dir, { recursive: true, force: true }),
    };
  },
};

export default harness;

export const openFromConfig = (config: unknown) => fileStore(config as string);

/** Overwrites a few bytes in the middle of each log in a folder. */
async function scribble(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.log'))) {
    const bytes = await readFile(join(folder, name));
    const middle = Math.floor(bytes.length / 2);
    await writeFile(join(folder, name), bytes.fill('?', middle, middle + 8));
  }
}
