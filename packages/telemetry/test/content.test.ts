import { createAgent, defineTool } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Collected, collected } from './support/collected.js';

const SECRETS = [
  'card-4111',
  'be-discreet',
  'order-42',
  'paid-99',
  'declined-17',
  'sure-thing',
  'not-a-card',
];

/** A run in which everything that may hold a secret holds one. */
async function secretRun(into: Collected): Promise<void> {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    input: z.object({ order: z.string() }),
    execute: () => 'paid-99',
  });
  const refuse = defineTool({
    name: 'refuse',
    description: 'Refuses',
    execute: () => {
      throw new Error('declined-17');
    },
  });
  const toolCalls = [
    { name: 'pay', id: 'a', args: { order: 'order-42' } },
    { name: 'refuse', id: 'b' },
  ];
  const provider = mockModel([{ toolCalls }, 'sure-thing', { error: new Error('not-a-card') }]);
  const agent = createAgent({
    provider,
    tools: [pay, refuse],
    instructions: 'be-discreet',
    observer: into.observer,
  });
  await agent.send('card-4111');
  await expect(agent.send('card-4111')).rejects.toThrow('not-a-card');
}

const written = ({ spans }: Collected) =>
  JSON.stringify(spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })));

describe('what was said', () => {
  it('is on no span', async () => {
    const into = collected();
    await secretRun(into);
    expect(SECRETS.filter((secret) => written(into).includes(secret))).toEqual([]);
  });

  it('is on the spans where it is asked for, in the form of the conventions', async () => {
    const into = collected({ captureContent: true });
    await secretRun(into);
    expect(SECRETS.filter((secret) => !written(into).includes(secret))).toEqual([]);
    const [first, second, failed] = into.spans.filter(({ name }) => name === 'chat');
    const read = (text: unknown) => JSON.parse(String(text)) as unknown;
    const call = { type: 'tool_call', id: 'a', name: 'pay', arguments: { order: 'order-42' } };
    const refused = { type: 'tool_call', id: 'b', name: 'refuse', arguments: {} };
    expect(read(first?.attributes['gen_ai.system_instructions'])).toEqual([
      { type: 'text', content: 'be-discreet' },
    ]);
    expect(read(first?.attributes['gen_ai.input.messages'])).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'card-4111' }] },
    ]);
    expect(read(first?.attributes['gen_ai.output.messages'])).toEqual([
      { role: 'assistant', parts: [call, refused], finish_reason: 'tool_calls' },
    ]);
    expect(read(second?.attributes['gen_ai.input.messages'])).toMatchObject([
      { role: 'user' },
      { role: 'assistant', parts: [call, refused] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'a', response: 'paid-99' }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'b' }] },
    ]);
    expect(failed?.status.message).toContain('not-a-card');
    expect(into.span('execute_tool pay').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"order":"order-42"}',
      'gen_ai.tool.call.result': '"paid-99"',
    });
  });

  it('leaves the data of files out', async () => {
    const into = collected({ captureContent: true });
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, image: new Uint8Array([1, 2, 3]), mediaType: 'image/png' },
      { type: 'file' as const, data: 'AQID', mediaType: 'application/pdf' },
    ];
    await createAgent({ provider: mockModel(['A scan']), observer: into.observer }).send([
      { role: 'user', content },
    ]);
    const [message] = JSON.parse(String(into.span('chat').attributes['gen_ai.input.messages'])) as unknown[];
    expect(message).toEqual({
      role: 'user',
      parts: [
        { type: 'text', content: 'What is this?' },
        { type: 'blob', modality: 'image', mime_type: 'image/png' },
        { type: 'blob', modality: 'file', mime_type: 'application/pdf' },
      ],
    });
  });
});
