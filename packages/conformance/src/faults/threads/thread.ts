// A thread with a client of its own. Saves its share, with or without the lease, and says what became of it.
import { parentPort, workerData } from 'node:worker_threads';
import { SDKError } from '@lousho/core/contract';
import type { HarnessModule } from '../../model/harness.js';
import { clientOf } from '../../world/client.js';
import { nextCheckpoint } from '../flows/steps.js';
import type { ThreadNews, ThreadOrder } from './thread-order.js';

const { module, config, id, owner, saves, bytes, leased } = workerData as ThreadOrder;
const { openFromConfig } = (await import(module)) as HarnessModule;
const store = (await openFromConfig?.(config)) ?? {};
const { checkpoints } = clientOf(store);
let [saved, refused] = [0, 0];
try {
  while (saved < saves) {
    if (leased && (await checkpoints.acquireLease(id, owner, 600_000)) === false) {
      refused += 1;
      if (refused === 1) tell('refused');
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    await save();
    if (leased) await checkpoints.releaseLease(id, owner);
  }
  await store.close?.();
  tell({ saved, refused });
} catch (error) {
  const code = error instanceof SDKError ? error.code : 'no code';
  tell({ saved, refused, failure: `${code}: ${String(error)}` });
}

async function save(): Promise<void> {
  const stored = leased ? await checkpoints.load(id) : null;
  const last = stored && { ...stored, messages: [] };
  const next = nextCheckpoint(last, id, `${owner} ${saved}`, { bytes });
  if (!leased) await checkpoints.save(id, { ...next, revision: saved + 1 });
  else if (!(await checkpoints.saveIfLeased(id, next, owner))) throw new Error('the holder was fenced off');
  saved += 1;
}

function tell(news: ThreadNews): void {
  parentPort?.postMessage(news);
}
