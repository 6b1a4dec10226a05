// A process that plays a conversation and ends itself with SIGKILL at one operation. Started by play-kill.ts.
import { text } from 'node:stream/consumers';
import { CrashWorld, deliverTurns, EffectLedger, replayModel } from '@lousho/core/testing';
import { openChosenStore } from '../stores/store-choice.js';
import type { KillOrder } from './play-kill.js';
import { replayAgent, sessionIdOf, turnsOf } from './played.js';

const order = JSON.parse(await text(process.stdin)) as KillOrder;
const model = replayModel(order.conversation.messages);
const world = new CrashWorld(new EffectLedger(), order.point ?? undefined, () => {
  process.kill(process.pid, 'SIGKILL');
});
const store = openChosenStore(order.store, order.folder);
const agent = replayAgent(model, world, world.store(store));
await deliverTurns(agent, store.checkpoints, sessionIdOf(order.conversation), turnsOf(model));
await store.close();
process.stdout.write(String(world.operations.length));
