import { aiSdk } from '@lousho/ai-sdk';
import type { Message } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { ask, VERSIONS, type Version } from './support/chat.js';
import { recordedModel } from './support/recorded-model.js';

async function promptOf(version: Version, messages: readonly Message[]): Promise<unknown> {
  const model = recordedModel(version, []);
  await ask(aiSdk(model), 'generate', { messages });
  return model.prompts[0];
}

const call = (id: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'forecast', arguments: '{}' },
});

describe.each(VERSIONS)('a prompt of %s', (version) => {
  it('has the results of a turn in one message, each with its tool’s name and the kind of its value', async () => {
    const prompt = await promptOf(version, [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: '', toolCalls: ['a', 'b', 'c', 'd'].map(call) },
      { role: 'tool', toolCallId: 'a', toolName: 'renamed', content: '{"degrees":3}' },
      { role: 'tool', toolCallId: 'b', content: '"sunny"' },
      { role: 'tool', toolCallId: 'c', content: '{"error":"RangeError"}', isError: true },
      { role: 'tool', toolCallId: 'd', content: 'no JSON', isError: true },
      { role: 'user', content: 'And?' },
    ]);
    const result = (toolCallId: string, toolName: string, type: string, value: unknown) => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type, value },
    });
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        content: ['a', 'b', 'c', 'd'].map((toolCallId) => ({
          type: 'tool-call',
          toolCallId,
          toolName: 'forecast',
          input: {},
        })),
      },
      {
        role: 'tool',
        content: [
          result('a', 'renamed', 'json', { degrees: 3 }),
          result('b', 'forecast', 'text', 'sunny'),
          result('c', 'forecast', 'error-json', { error: 'RangeError' }),
          result('d', 'forecast', 'error-text', 'no JSON'),
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ]);
  });

  it('keeps the messages of a user apart', async () => {
    const user: Message = { role: 'user', content: 'Hi' };
    expect(await promptOf(version, [user, user])).toHaveLength(2);
  });
});
