import type { Agent, SendOptions } from '../agent/agent.js';
import type { CheckpointStore } from '../contract/index.js';
import type { RunInput } from '../executor/run-input.js';

/** One thing that the user says. */
export interface ScenarioTurn {
  readonly input: RunInput;
  readonly options?: Omit<SendOptions, 'sessionId' | 'signal'>;
}

/**
 * Says what has not been said yet on a session, as a caller does who comes back after a crash: first the interrupted run is
 * finished, then the turns follow that the stored transcript does not have. Each turn is one user message.
 */
export async function deliverTurns(
  agent: Agent,
  store: CheckpointStore,
  sessionId: string,
  turns: readonly ScenarioTurn[],
): Promise<void> {
  const saidBefore = await countSaid(store, sessionId);
  const interrupted = turns[saidBefore - 1];
  // Sending the interrupted turn's message again is recognised as a retry, and brings that turn's own options along.
  if (interrupted && (await isUnfinished(store, sessionId))) {
    await agent.send(interrupted.input, { ...interrupted.options, sessionId });
  }
  for (const turn of turns.slice(saidBefore)) await agent.send(turn.input, { ...turn.options, sessionId });
}

async function countSaid(store: CheckpointStore, sessionId: string): Promise<number> {
  const stored = await store.load(sessionId);
  return stored?.messages.filter((message) => message.role === 'user').length ?? 0;
}

async function isUnfinished(store: CheckpointStore, sessionId: string): Promise<boolean> {
  const stored = await store.load(sessionId);
  return stored !== null && stored.status !== 'finished';
}
