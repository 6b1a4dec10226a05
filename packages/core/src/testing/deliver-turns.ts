import type { Agent, SendOptions } from '../agent/agent.js';
import type { CheckpointStore, Message } from '../contract/index.js';
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

/**
 * The same for a session: the interrupted turn is finished first, then each further turn is one `session.send()`. `agentFor` makes
 * the agent of a turn, so that a turn may have settings of its own.
 */
export async function deliverSessionTurns(
  sessionId: string,
  turns: readonly ScenarioTurn[],
  agentFor: (turn: ScenarioTurn) => Agent,
): Promise<void> {
  const said = async () => {
    const [first] = turns;
    return first ? countUsers(await agentFor(first).session({ id: sessionId }).messages()) : 0;
  };
  // The turn that was interrupted is the first one that the transcript does not have; it may lack nothing but its commit, or have left
  // nothing but its record.
  const interrupted = turns[await said()] ?? turns.at(-1);
  if (interrupted) await agentFor(interrupted).session({ id: sessionId }).resume();
  for (const turn of turns.slice(await said()))
    await agentFor(turn).session({ id: sessionId }).send(turn.input);
}

async function countSaid(store: CheckpointStore, sessionId: string): Promise<number> {
  const stored = await store.load(sessionId);
  return countUsers(stored?.messages ?? []);
}

function countUsers(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === 'user').length;
}

async function isUnfinished(store: CheckpointStore, sessionId: string): Promise<boolean> {
  const stored = await store.load(sessionId);
  return stored !== null && stored.status !== 'finished';
}
