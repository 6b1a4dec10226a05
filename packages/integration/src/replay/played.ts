import { isDeepStrictEqual } from 'node:util';
import { type Agent, type AgentStore, createAgent, type LeaseTiming, type Message } from '@lousho/core';
import {
  type CrashWorld,
  comparable,
  type ReplayModel,
  type ScenarioTurn,
  toRecording,
} from '@lousho/core/testing';
import type { Conversation } from './conversations.js';
import type { PlayMode } from './options.js';

/** What playing one conversation came to. */
export interface Played {
  readonly id: string;
  readonly crashPoints: number;
  /** In words; empty when everything is as recorded. */
  readonly differences: readonly string[];
  readonly repeatedModelCalls: number;
  readonly repeatedTools: number;
}

/** The id that a conversation is played under: any text becomes a legal one. */
export function sessionIdOf(conversation: Conversation): string {
  return `replay-${conversation.id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 120)}`;
}

/** A run makes no more model calls than were recorded, so that it ends where the recording does. */
export function turnsOf(model: ReplayModel): readonly ScenarioTurn[] {
  return model.turns.map((turn) => ({ input: turn.input, options: { maxSteps: turn.steps } }));
}

/** Where a session is played, each turn has an agent of its own: its budget is not the call's but the agent's. */
export function replayAgent(
  model: ReplayModel,
  world: CrashWorld,
  store: AgentStore,
  { turn, lease }: { readonly turn?: ScenarioTurn | undefined; readonly lease?: LeaseTiming } = {},
): Agent {
  const maxSteps = turn?.options?.maxSteps;
  return createAgent({
    provider: world.provider(model),
    tools: world.tools(model.tools),
    store,
    ...(lease && { lease }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(model.instructions !== undefined && { instructions: model.instructions }),
    // A process that died cannot release its lease, and says so; here that is what was asked for.
    ports: { logger: { warn: () => undefined } },
  });
}

/** Where the transcript is not the recording. The one of a session has no system prompt: that is the agent's. */
export function differencesFrom(
  conversation: Conversation,
  as: PlayMode,
  messages: readonly Message[],
): readonly string[] {
  const recorded = conversation.messages.filter(({ role }) => as === 'run' || role !== 'system');
  const [got, wanted] = [toRecording(messages), comparable(recorded)];
  if (isDeepStrictEqual(got, wanted)) return [];
  const first = wanted.findIndex((message, index) => !isDeepStrictEqual(message, got[index]));
  return [
    first === -1
      ? `the transcript has ${got.length} messages, the recording ${wanted.length}`
      : `message ${first} of the transcript is not the recorded one`,
  ];
}
