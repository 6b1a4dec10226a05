import type { FileStore } from '@lousho/store-file';
import type { GrowingRun } from './growing-run.js';

/** Take, save, renew in the log, save through a compaction or two, give back. Every step is tried again so often while it throws. */
export async function runFlow(store: FileStore, run: GrowingRun, tries = 1): Promise<void> {
  const { checkpoints } = store;
  const owner = 'worker-a';
  await again(tries, () => run.acquire(checkpoints, owner));
  for (let save = 0; save < 5; save++) await again(tries, () => saveOnce(store, run, owner));
  await again(tries, async () => checkpoints.renewLease?.(run.sessionId, owner, 40_000));
  for (let save = 0; save < 4; save++) await again(tries, () => saveOnce(store, run, owner));
  await again(tries, async () => checkpoints.releaseLease?.(run.sessionId, owner));
}

/** A caller that does not know what became of its save looks, as the executor does. */
async function saveOnce(store: FileStore, run: GrowingRun, owner: string): Promise<void> {
  const next = run.told.revision + 1;
  if (!(await run.save(store.checkpoints, owner, next))) throw new Error(`save ${next} was refused`);
}

async function again(tries: number, work: () => Promise<unknown>): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      await work();
      return;
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}
