import type { ModelRequest, ModelResponse } from '@lousho/core';
import type { ToolCall } from '@lousho/core/contract';
import type { Random } from '../world/random.js';

/** What a tool's calls may do: run again after a crash, run at most once, run at most once after a person said so. */
export const TOOL_NAMES = ['look', 'charge', 'refund'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** The conversation of a session: the tools that each turn calls. Behind the last turn the model is done. */
export type Script = readonly (readonly ToolName[])[];

export function drawScript(random: Random): Script {
  return Array.from({ length: random.pick([1, 1, 1, 1, 1, 1, 1, 2]) }, () =>
    Array.from({ length: 1 + random.int(2) }, () => random.pick(TOOL_NAMES)),
  );
}

export const LAST_WORDS = 'Done.';

/** Which answer is due follows from the transcript alone, so that any process can ask. */
export function scriptedAnswer(script: Script, { messages }: ModelRequest): ModelResponse {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const tools = script[turn];
  if (!tools) return { text: LAST_WORDS, finishReason: 'stop' };
  const toolCalls = tools.map(
    (name, index): ToolCall => ({
      id: `call-${turn}-${index}`,
      type: 'function',
      function: { name, arguments: `{"turn":${turn}}` },
    }),
  );
  return { text: '', toolCalls, finishReason: 'tool_calls' };
}
