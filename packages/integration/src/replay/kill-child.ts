// A process that plays a conversation and ends itself with SIGKILL at one operation. Started by play-kill.ts.
import { text } from 'node:stream/consumers';
import { CrashWorld, EffectLedger, replayModel } from '@lousho/core/testing';
import { openStorage } from '../stores/chosen-storage.js';
import { deliver } from './deliver.js';
import type { KillOrder } from './kill-order.js';

const order = JSON.parse(await text(process.stdin)) as KillOrder;
const model = replayModel(order.conversation.messages);
const world = new CrashWorld(new EffectLedger(), order.point ?? undefined, () => {
  process.kill(process.pid, 'SIGKILL');
});
const store = openStorage(order.storage);
await deliver(order, model, world, store);
await store.close();
process.stdout.write(String(world.operations.length));
