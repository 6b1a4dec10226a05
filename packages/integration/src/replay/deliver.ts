import type { BundledStore } from '@lousho/core';
import type { CheckpointStore } from '@lousho/core/contract';
import { type CrashWorld, deliverSessionTurns, deliverTurns, type ReplayModel } from '@lousho/core/testing';
import { withOwnHeartbeat } from '../stores/own-heartbeat.js';
import { provesDeath, SHORT_LEASE } from '../stores/until-free.js';
import type { KillOrder } from './kill-order.js';
import { replayAgent, sessionIdOf, turnsOf } from './played.js';

/** Plays what of a conversation has not been played yet, as a process does that may come after one that died. */
export async function deliver(
  { conversation, as }: Pick<KillOrder, 'conversation' | 'as'>,
  model: ReplayModel,
  world: CrashWorld,
  store: BundledStore,
): Promise<void> {
  const [sessionId, turns, watched] = [sessionIdOf(conversation), turnsOf(model), world.store(store)];
  const checkpoints = withOwnHeartbeat(watched.checkpoints as CheckpointStore, store.checkpoints);
  const counted = { ...watched, checkpoints };
  const timing = provesDeath(store.checkpoints.capabilities ?? {}) ? {} : { lease: SHORT_LEASE };
  if (as === 'session') {
    await deliverSessionTurns(sessionId, turns, (turn) =>
      replayAgent(model, world, counted, { turn, ...timing }),
    );
  } else {
    await deliverTurns(replayAgent(model, world, counted, timing), store.checkpoints, sessionId, turns);
  }
}
