import {
  type Agent,
  type AgentHook,
  type AgentRun,
  type AgentStore,
  createAgent,
  type LLMProvider,
  type ModelRequest,
  type ModelResponse,
} from '@lousho/core';
import type { CrashWorld } from '@lousho/core/testing';
import { countingTool } from '../../approval/support/workshop.js';
import type { FullStore } from '../../harness/store-kind.js';

export const SESSION_ID = 'order-7';
export const SAID = 'No, tea';

/** Somebody who has one thing to say to the run, and says it again only if it is not in the store. */
export interface Talk {
  readonly by: 'enqueue' | 'steer';
  /** While what goes on. */
  readonly during: 'first tool' | 'model call' | 'look at an answer';
  /** What the model does, by how many turns of its own it sees; after the input it says goodbye. */
  readonly turns: readonly (readonly string[] | string)[];
  /** At which of its turns the input comes. Default 0. */
  readonly atTurn?: number;
  /** The transcripts that a run may end with. */
  readonly shapes: readonly string[];
  /** Model calls that were dropped. Default 0. */
  readonly dropped?: number;
  readonly toolConcurrency?: number;
}

/** What no process takes with it when it dies. */
export interface Notes {
  /** Started calls. */
  readonly effects: string[];
  /** The run has told that it keeps the input. */
  isAcknowledged: boolean;
  readonly problems: string[];
  /** Tokens of every answer that the model has given. */
  readonly served: { input: number; output: number };
}

export const newNotes = (): Notes => ({
  effects: [],
  isAcknowledged: false,
  problems: [],
  served: { input: 0, output: 0 },
});

/** One life of a process: it goes on with what it finds, or begins. */
export async function play(
  talk: Talk,
  world: CrashWorld,
  { seen, inner }: { readonly seen: AgentStore; readonly inner: FullStore },
  notes: Notes,
): Promise<void> {
  let run: AgentRun | undefined;
  const speak = async (): Promise<void> => {
    const stored = await inner.checkpoints.load(SESSION_ID);
    if (JSON.stringify(stored?.messages ?? []).includes(SAID)) return;
    if (notes.isAcknowledged) notes.problems.push('input that the run had told it keeps was lost');
    run?.[talk.by](SAID);
  };
  const agent = agentOf(talk, world, seen, notes, speak);
  const stored = await inner.checkpoints.load(SESSION_ID);
  if (stored?.status === 'finished') return;
  run = agent.stream(stored ? [] : 'Coffee', { sessionId: SESSION_ID });
  for await (const { type } of run)
    if (type === 'input.queued' || type === 'input.steered') notes.isAcknowledged = true;
  await run.result;
}

function agentOf(
  talk: Talk,
  world: CrashWorld,
  store: AgentStore,
  { effects, served }: Notes,
  speak: () => Promise<void>,
): Agent {
  const { during, turns, atTurn = 0 } = talk;
  const isDue = ({ messages }: ModelRequest) => turnOf(messages) === atTurn && !hasHeard(messages);
  const provider: LLMProvider = {
    name: 'scripted',
    generate: async (request) => {
      const turn = turnOf(request.messages);
      if (during === 'model call' && isDue(request)) {
        await speak();
        // What it says behind a steer comes too late, and must be nowhere.
        if (talk.by === 'steer') return { text: 'DISCARDED' };
      }
      const answer = hasHeard(request.messages) ? 'Tea.' : (turns[turn] ?? 'Coffee.');
      const usage = { inputTokens: 100 * (turn + 1), outputTokens: turn + 1 };
      served.input += usage.inputTokens;
      served.output += usage.outputTokens;
      return { ...responseOf(answer), usage };
    },
  };
  const shown: AgentHook = {
    name: 'shown',
    afterModelCall: async () => {
      if (during === 'look at an answer') await speak();
    },
  };
  const names = [...new Set(turns.filter((turn) => typeof turn !== 'string').flat())];
  const tools = names.map((name) => {
    const isFirst = name === names[0];
    const execute = async () => {
      if (isFirst && during === 'first tool') await speak();
      return `${name} done`;
    };
    return countingTool({ name, effects, execute });
  });
  return createAgent({
    provider: world.provider(provider),
    tools: world.tools(tools),
    store,
    hooks: [shown],
    toolConcurrency: talk.toolConcurrency ?? 'unbounded',
    ports: { logger: { warn: () => undefined } },
  });
}

type Messages = ModelRequest['messages'];

const turnOf = (messages: Messages): number => messages.filter(({ role }) => role === 'assistant').length;
const hasHeard = (messages: Messages): boolean => messages.some(({ content }) => content === SAID);

function responseOf(answer: readonly string[] | string): ModelResponse {
  if (typeof answer === 'string') return { text: answer };
  const toolCalls = answer.map((name) => ({
    id: name,
    type: 'function' as const,
    function: { name, arguments: '{}' },
  }));
  return { text: '', toolCalls };
}
