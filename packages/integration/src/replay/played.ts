import { isDeepStrictEqual } from 'node:util';
import { type Agent, type AgentStore, createAgent, type Message } from '@lousho/core';
import {
  type CrashWorld,
  comparable,
  type ReplayModel,
  type ScenarioTurn,
  toRecording,
} from '@lousho/core/testing';
import type { Conversation } from './conversations.js';

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
  return `replay-${conversation.id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 150)}`;
}

/** A run makes no more model calls than were recorded, so that it ends where the recording does. */
export function turnsOf(model: ReplayModel): readonly ScenarioTurn[] {
  return model.turns.map((turn) => ({ input: turn.input, options: { maxSteps: turn.steps } }));
}

export function replayAgent(model: ReplayModel, world: CrashWorld, store: AgentStore): Agent {
  return createAgent({
    provider: world.provider(model),
    tools: world.tools(model.tools),
    store,
    ...(model.instructions !== undefined && { instructions: model.instructions }),
    // A process that died cannot release its lease, and says so; here that is what was asked for.
    ports: { logger: { warn: () => undefined } },
  });
}

/** Where the transcript is not the recording. */
export function differencesFrom(conversation: Conversation, messages: readonly Message[]): readonly string[] {
  const [got, wanted] = [toRecording(messages), comparable(conversation.messages)];
  if (isDeepStrictEqual(got, wanted)) return [];
  const first = wanted.findIndex((message, index) => !isDeepStrictEqual(message, got[index]));
  return [
    first === -1
      ? `the transcript has ${got.length} messages, the recording ${wanted.length}`
      : `message ${first} of the transcript is not the recorded one`,
  ];
}
