import type { LLMProvider, StandardSchema } from '@lousho/core';

/** A model that asks for each tool once, one a turn. Which one is due follows from the transcript, so that any process can go on. */
export function scriptedModel(tools: readonly string[]): LLMProvider {
  return {
    name: 'scripted',
    generate: async ({ messages }) => {
      const due = messages.filter(({ role }) => role === 'assistant').length;
      const name = tools[due];
      if (name === undefined) return { text: 'Done.', finishReason: 'stop' };
      const call = { id: `call-${due + 1}`, type: 'function', function: { name, arguments: '{}' } } as const;
      return { toolCalls: [call], finishReason: 'tool_calls' };
    },
  };
}

export const ANYTHING: StandardSchema = {
  '~standard': { version: 1, vendor: 'lousho', validate: (value) => ({ value }) },
};
