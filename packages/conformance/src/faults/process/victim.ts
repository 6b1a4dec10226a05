// Runs one flow in a storage, telling a journal of each call: `node victim.js ORDER-JSON`. It may be killed at any point.
import { SDKError } from '@lousho/core/contract';
import type { HarnessModule } from '../../model/harness.js';
import { clientOf } from '../../world/client.js';
import { flowActor } from '../flows/flow-actor.js';
import { flowNamed } from '../flows/index.js';
import { killAt } from '../kill/fs-shim.js';
import { idsOf, mergedIds } from '../storage/ids.js';
import { type JournalEntry, openJournal, type Tell } from '../storage/journal.js';
import { EMPTY_STATE, type Ids, observe } from '../storage/storage-state.js';
import { type AfterRefusal, tellingStore } from '../storage/telling-store.js';
import { stepAhead } from './step-ahead.js';
import { awaitTracer, endTellsTracer } from './tracer-gate.js';
import type { VictimOrder } from './victim-order.js';

/** A fault that comes once is over by then. */
const MAX_TRIES = 4;

const order = JSON.parse(process.argv[2] ?? '') as VictimOrder;
const { tell: write } = openJournal(order.journal);
const told: JournalEntry[] = [];
const tell: Tell = (entry) => {
  told.push(entry);
  write(entry);
};
if (order.awaitsTracer) endTellsTracer();
if (order.shim) killAt(order.shim);
const { openFromConfig } = (await import(order.module)) as HarnessModule;
if (!openFromConfig) throw new Error(`${order.module} exports no openFromConfig`);
const flow = flowNamed(order.flow);
await flow.load?.();
if (order.awaitsTracer) {
  awaitTracer();
  stepAhead();
}
tell({ k: 'started', pid: process.pid });
const store = await persistently(async () => openFromConfig(order.config), tell);
const afterRefusal = order.looks && lookAgain(order.looks);
const actor = flowActor({
  store: tellingStore(store, tell, afterRefusal),
  owner: order.owner,
  tell,
  gate: `${order.journal}.go`,
});
if (order.part === 'prepare') await flow.prepare?.(actor);
else await flow.run(actor);
await store.close?.();
tell({ k: 'done' });
// Without a graceful end: whatever still lives here must not keep the process.
process.exit();

/** Opens; after a refusal once more, where the order says that refusals are to be lived with. */
async function persistently<T>(open: () => Promise<T>, note: Tell): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await open();
    } catch (error) {
      const code = error instanceof SDKError ? error.code : undefined;
      note({ k: 'refused', n: 0, ...(code && { code }), message: String(error) });
      if (!order.looks || tries === MAX_TRIES) throw error;
    }
  }
}

/** After a refusal: tells what is there, and goes on. */
function lookAgain(ids: Ids): AfterRefusal {
  let refusals = 0;
  return async () => {
    refusals += 1;
    try {
      const state = await observe(clientOf(store), mergedIds(ids, idsOf(EMPTY_STATE, told)));
      tell({ k: 'saw', state });
    } catch (error) {
      const code = error instanceof SDKError ? error.code : undefined;
      tell({ k: 'saw', ...(code && { code }), message: String(error) });
    }
    return refusals < MAX_TRIES ? 'again' : 'give up';
  };
}
