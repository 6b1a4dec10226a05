import {
  type AgentStore,
  createAgent,
  defineTool,
  type LLMProvider,
  type ModelResponse,
  type Tool,
} from '@lousho/core';
import type { CrashScenario, CrashStorage, CrashWorld } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import fc from 'fast-check';
import { z } from 'zod';

/** What one call of a script does. */
interface ScriptedCall {
  /** From a small set: providers use ids again, also within a turn. */
  readonly id: string;
  readonly kind: 'value' | 'nothing' | 'bytes' | 'error' | 'invalid' | 'unknown';
  /** Turns of the event loop before it settles. */
  readonly slowness: number;
}

interface Script {
  /** Per user message, the batches of calls that the model asks for before it answers. */
  readonly turns: readonly (readonly (readonly ScriptedCall[])[])[];
  readonly toolConcurrency: number | 'unbounded';
}

const call: fc.Arbitrary<ScriptedCall> = fc.record({
  id: fc.constantFrom('call_0', 'call_1', 'call_2'),
  kind: fc.constantFrom('value', 'value', 'value', 'nothing', 'bytes', 'error', 'invalid', 'unknown'),
  slowness: fc.nat(4),
});

const batch = fc.array(call, { minLength: 1, maxLength: 4 });

export const script: fc.Arbitrary<Script> = fc.record({
  turns: fc.array(fc.array(batch, { maxLength: 2 }), { minLength: 1, maxLength: 3 }),
  toolConcurrency: fc.constantFrom(1, 2, 'unbounded' as const),
});

/** The scenario of a script: a model without a memory of its own, tools whose results follow from their arguments. */
export function scenarioOf(
  { turns, toolConcurrency }: Script,
  openStorage: () => Promise<CrashStorage> = memoryStorage,
): CrashScenario {
  const answers = turns.flatMap((batches, turn): ModelResponse[] => [
    ...batches.map((calls, step) => ({
      text: `turn ${turn} step ${step}`,
      toolCalls: calls.map((one, index) => ({
        id: one.id,
        type: 'function' as const,
        function: {
          name: one.kind === 'unknown' ? 'ghost' : 'work',
          arguments:
            one.kind === 'invalid' ? '{"no' : JSON.stringify({ ...one, where: `${turn}/${step}/${index}` }),
        },
      })),
    })),
    { text: `answer ${turn}` },
  ]);
  const provider: LLMProvider = {
    name: 'scripted',
    generate: async ({ messages }) => {
      const due = messages.filter((message) => message.role === 'assistant').length;
      const answer = answers[due];
      if (!answer) throw new Error(`answer ${due} was asked for`);
      return answer;
    },
  };
  return {
    sessionId: 'scripted',
    turns: turns.map((_, turn) => ({ input: `message ${turn}` })),
    openStorage,
    createAgent: (world: CrashWorld, store: AgentStore) =>
      createAgent({
        provider: world.provider(provider),
        tools: world.tools([work]),
        store,
        toolConcurrency,
        instructions: 'Follow the script.',
        ports: { logger: { warn: () => undefined } },
      }),
  };
}

export async function memoryStorage(): Promise<CrashStorage> {
  const store = memoryStore();
  return { openStore: async () => store, dispose: () => store.close() };
}

const work: Tool = defineTool({
  name: 'work',
  description: 'Works for a while',
  input: z.object({ id: z.string(), kind: z.string(), slowness: z.number(), where: z.string() }),
  execute: async ({ kind, slowness, where }) => {
    for (let turn = 0; turn < slowness; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (kind === 'error') throw new RangeError(`failed at ${where}`);
    if (kind === 'nothing') return undefined;
    return kind === 'bytes' ? new TextEncoder().encode(where) : { where };
  },
});
