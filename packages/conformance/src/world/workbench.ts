import {
  type Agent,
  type AgentStore,
  createAgent,
  defineTool,
  type ModelRequest,
  type StandardSchema,
  type Tool,
  type ToolContext,
} from '@lousho/core';
import type { CheckpointStore } from '@lousho/core/contract';
import { mockModel } from '@lousho/core/testing';
import type { Client } from './client.js';
import type { World } from './world.js';

/** A model's turn: a reply, or the calls that it makes. A call's tool has the name of its id up to the first `_`. */
export type Turn = string | readonly string[];

export interface WorkbenchOptions {
  readonly turns: readonly Turn[];
  /** What the tools do, by name. */
  readonly tools?: Readonly<Record<string, (context: ToolContext) => unknown>>;
  /** How the calls of a tool are taken, by name. */
  readonly safety?: Readonly<Record<string, Pick<Tool, 'needsApproval' | 'rerun'>>>;
  readonly toolConcurrency?: number;
  /** Called before a method of the checkpoints is. */
  readonly before?: (method: keyof CheckpointStore) => unknown;
  /** Turns what the agent is given into what another process would be given. */
  readonly wrap?: (given: Given) => Given;
}

export interface Given {
  readonly provider: Parameters<typeof createAgent>[0]['provider'];
  readonly tools: readonly Tool[];
  readonly store: AgentStore;
}

/** An agent over a store under test, as a process makes it when it starts. */
export interface Workbench {
  readonly agent: Agent;
  /** The ids of the calls that were started, in order. */
  readonly started: string[];
  /** What the model was asked, in order. */
  readonly asked: ModelRequest[];
  /** How many of its calls the store has not answered yet. */
  readonly storeCalls: number;
}

/** Each workbench is a process of its own to the executor, also on one client. */
export function workbench(world: Pick<World, 'clock'>, client: Client, options: WorkbenchOptions): Workbench {
  const { turns, tools = {}, safety = {}, wrap = (given) => given } = options;
  const started: string[] = [];
  const asked: ModelRequest[] = [];
  const store = watchedStore(client, options.before);
  const names = new Set(turns.flatMap((turn) => (typeof turn === 'string' ? [] : turn.map(toolOf))));
  const given = wrap({
    provider: modelOf(turns, asked),
    tools: [...names].map((name) =>
      defineTool({
        ...(safety[name] as object),
        name,
        description: name,
        input: ANY_OBJECT,
        inputJsonSchema: { type: 'object' },
        execute: (_args, context) => {
          started.push(context.toolCallId);
          return tools[name] ? tools[name](context) : `${name} done`;
        },
      }),
    ),
    store: store.client,
  });
  const agent = createAgent({
    ...given,
    ...(options.toolConcurrency !== undefined && { toolConcurrency: options.toolConcurrency }),
    ports: { timers: world.clock, logger: { warn: () => undefined } },
  });
  return {
    agent,
    started,
    asked,
    get storeCalls() {
      return store.calls();
    },
  };
}

const ANY_OBJECT: StandardSchema<Record<string, unknown>, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'lousho',
    validate: (value) => ({ value: value as Record<string, unknown> }),
  },
};

/** Which turn is due follows from the transcript, so that a fresh process needs no position. */
function modelOf(turns: readonly Turn[], asked: ModelRequest[]): Given['provider'] {
  return {
    name: 'scripted',
    generate: (request) => {
      asked.push(request);
      const due = request.messages.filter(({ role }) => role === 'assistant').length;
      const turn = turns[due] ?? 'There is nothing more in the script.';
      const step =
        typeof turn === 'string' ? turn : { toolCalls: turn.map((id) => ({ id, name: toolOf(id) })) };
      return mockModel([step]).generate(request);
    },
  };
}

function toolOf(id: string): string {
  return id.split('_', 1)[0] as string;
}

/** The store that a process is given: its calls are counted while they are on their way, and may be waited for. */
function watchedStore(client: Client, before: WorkbenchOptions['before'] = () => undefined) {
  let onTheWay = 0;
  const watched = <Part extends object>(part: Part, look: (method: string) => unknown = () => undefined) =>
    new Proxy(part, {
      get: (target, key) => {
        const found: unknown = Reflect.get(target, key, target);
        if (typeof found !== 'function') return found;
        return async (...args: unknown[]) => {
          await look(key as string);
          onTheWay++;
          try {
            return await Reflect.apply(found, target, args);
          } finally {
            onTheWay--;
          }
        };
      },
    });
  const { checkpoints, approvals, sessions } = client;
  return {
    calls: () => onTheWay,
    client: {
      ...client,
      checkpoints: watched(checkpoints, (method) => before(method as keyof CheckpointStore)),
      ...(approvals && { approvals: watched(approvals) }),
      ...(sessions && { sessions: watched(sessions) }),
    },
  };
}
