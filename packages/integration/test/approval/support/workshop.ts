import {
  type Agent,
  type AgentStore,
  type CreateAgentOptions,
  createAgent,
  defineTool,
  type LLMProvider,
  type ModelRequest,
  type ModelResponse,
  type Tool,
  type ToolContext,
} from '@lousho/core';
import { z } from 'zod';

export interface Call {
  readonly id: string;
  /** The id where it is not given. */
  readonly tool?: string;
  readonly args?: unknown;
}

/** A reply's text, the calls that it makes, an error that it throws, or what it does when it is asked. */
export type Turn = string | readonly Call[] | Error | ((request: ModelRequest) => ModelResponse);

export type Execute = (args: unknown, context: ToolContext) => unknown;

/** Calls of the tools that have their ids' names. */
export function calls(...ids: readonly string[]): readonly Call[] {
  return ids.map((id) => ({ id }));
}

export interface ScriptedModel extends LLMProvider {
  /** What it was asked, in order. */
  readonly requests: ModelRequest[];
}

/** A model whose due turn follows from the transcript, so that a fresh process needs no position. */
export function scriptedModel(turns: readonly Turn[], usage: ModelResponse['usage'][] = []): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    requests,
    generate: async (request) => {
      requests.push(request);
      const due = request.messages.filter((message) => message.role === 'assistant').length;
      const turn = turns[due];
      if (turn === undefined) throw new Error(`turn ${due + 1} is not in the script`);
      if (turn instanceof Error) throw turn;
      if (typeof turn === 'function') return turn(request);
      return { ...responseOf(turn), ...(usage[due] && { usage: usage[due] }) };
    },
  };
}

export function responseOf(turn: string | readonly Call[]): ModelResponse {
  if (typeof turn === 'string') return { text: turn, finishReason: 'stop' };
  return {
    text: '',
    finishReason: 'tool_calls',
    toolCalls: turn.map(({ id, tool, args }) => ({
      id,
      type: 'function',
      function: { name: tool ?? id, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) },
    })),
  };
}

export interface Workshop {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  /** The call ids of the tools that were started, in order. */
  readonly effects: string[];
}

export interface WorkshopOptions
  extends Partial<Omit<CreateAgentOptions, 'provider' | 'store' | 'model' | 'tools'>> {
  readonly store: AgentStore;
  readonly turns: readonly Turn[];
  /** Tools that need approval. */
  readonly gated?: readonly string[];
  readonly open?: readonly string[];
  /** What tools do beside being counted. */
  readonly does?: Readonly<Record<string, Execute>>;
  /** Counted across processes where it is shared. */
  readonly effects?: string[];
  readonly model?: ScriptedModel;
  readonly tools?: readonly Tool[];
}

/** An agent as a process makes it when it starts, with tools that are counted. */
export function workshop(options: WorkshopOptions): Workshop {
  const {
    turns,
    gated = [],
    open = [],
    does = {},
    effects = [],
    model,
    tools = [],
    ports,
    ...rest
  } = options;
  const provider = model ?? scriptedModel(turns);
  const make = (name: string, needsApproval: boolean): Tool =>
    countingTool({ name, effects, needsApproval, ...(does[name] && { execute: does[name] }) });
  return {
    agent: createAgent({
      ...rest,
      // What a dead process cannot do any more is warned of; the tests look at what is stored.
      ports: { logger: { warn: () => undefined }, ...ports },
      provider,
      tools: [...open.map((name) => make(name, false)), ...gated.map((name) => make(name, true)), ...tools],
    }),
    model: provider,
    effects,
  };
}

/** A tool that takes any object and notes the ids of the calls that it runs. */
export function countingTool({
  name,
  effects,
  execute = () => `${name} done`,
  ...rest
}: {
  readonly name: string;
  readonly effects: string[];
  readonly execute?: Execute;
} & Pick<Tool, 'needsApproval' | 'rerun' | 'reconcile'>): Tool {
  return defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    execute: (args, context) => {
      effects.push(context.toolCallId);
      return execute(args, context);
    },
    ...(rest as object),
  });
}
