import { aiSdk } from '@lousho/ai-sdk';
import { createAgent, defineTool, type Message, type Tool } from '@lousho/core';
import type { ChatAnswer } from '@lousho/test-backends';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, type Chat, chat, modelOf, rejection, VERSIONS, WAYS } from './support/chat.js';

const CALL = { id: 'call_1', name: 'forecast', args: { city: 'Oslo' } };

const forecast = (execute: () => unknown = () => ({ degrees: 3 })): Tool =>
  defineTool({
    name: 'forecast',
    description: 'The weather of a city',
    input: z.object({ city: z.string() }),
    execute,
  });

async function talk(
  { provider }: Chat,
  mode: 'generate' | 'stream',
  { tools = [forecast()], said = ['Weather?'] }: { tools?: readonly Tool[]; said?: readonly string[] } = {},
) {
  const agent = createAgent({ provider, tools, instructions: 'Be brief.' });
  let messages: readonly Message[] = [];
  for (const text of said) {
    const input = [...messages, { role: 'user' as const, content: text }];
    const run = mode === 'stream' ? agent.stream(input).result : agent.send(input);
    ({ messages } = await run);
  }
  return messages;
}

describe.each(WAYS)('a conversation by %s, by %s', (version, mode) => {
  async function told(answers: readonly ChatAnswer[], options: Parameters<typeof talk>[2] = {}) {
    const model = await chat(version, answers);
    await talk(model, mode, options);
    expect(model.server.refusals).toEqual([]);
    return model.server.requests.at(-1)?.messages;
  }

  it('sends the calls of a turn with their results, a text as text and a value as JSON', async () => {
    const toolCalls = [CALL, { id: 'call_2', name: 'forecast', args: { city: 'Rome' } }];
    let calls = 0;
    const tools = [forecast(() => (calls++ === 0 ? { degrees: 3 } : 'sunny'))];
    expect(await told([{ text: 'I look.', toolCalls }, { text: 'Cold and sunny.' }], { tools })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'forecast', arguments: '{"city":"Oslo"}' } },
          { id: 'call_2', type: 'function', function: { name: 'forecast', arguments: '{"city":"Rome"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"degrees":3}' },
      { role: 'tool', tool_call_id: 'call_2', content: 'sunny' },
    ]);
  });

  it('sends reasoning back', async () => {
    const messages = await told([{ reasoning: 'Oslo, then.', toolCalls: [CALL] }, { text: 'Cold.' }]);
    expect(messages?.[2]).toMatchObject({ role: 'assistant', reasoning_content: 'Oslo, then.' });
  });

  it('sends what a tool threw as its result', async () => {
    const tools = [
      forecast(() => {
        throw new RangeError('no such city');
      }),
    ];
    const messages = await told([{ toolCalls: [CALL] }, { text: 'Sorry.' }], { tools });
    expect(JSON.parse(messages?.at(-1)?.content as string)).toMatchObject({
      error: 'RangeError',
      message: 'no such city',
      kind: 'execution',
    });
  });

  it.each([
    ['broken JSON', '{"city": "Os'],
    ['a text', '"Oslo"'],
    ['nothing', ''],
    ['null', 'null'],
  ])('survives arguments that are %s: the model is told, and no vendor is shown them', async (_, args) => {
    const messages = await told([{ toolCalls: [{ ...CALL, args }] }, { text: 'Sorry.' }]);
    expect(messages?.at(-2)?.tool_calls?.[0]?.function.arguments).toBe('{}');
    expect(JSON.parse(messages?.at(-1)?.content as string)).toMatchObject({ kind: 'validation' });
  });

  it('survives two calls with one id in a turn, and the id again in the next turn', async () => {
    const twice = { toolCalls: [CALL, CALL] };
    const messages = await told([twice, twice, { text: 'Cold.' }]);
    const ids = messages?.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id) ?? [];
    // A stream's second call gets an id from the AI SDK, a generated one's from the executor.
    expect([ids[0], ids[2]]).toEqual(['call_1', 'call_1']);
    expect(ids.map((id) => typeof id)).toEqual(['string', 'string', 'string', 'string']);
  });

  it('survives a call of a tool that is not there', async () => {
    const messages = await told([{ toolCalls: [{ id: 'c', name: 'ghost' }] }, { text: 'Sorry.' }]);
    expect(JSON.parse(messages?.at(-1)?.content as string)).toMatchObject({ kind: 'not-found' });
  });

  it('survives an empty reply', async () => {
    const messages = await told([{ text: '' }, { text: 'Cold.' }], { said: ['Weather?', 'Hello?'] });
    expect(messages?.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
  });

  it('survives half an emoji', async () => {
    const messages = await told([{ text: 'half \ud83d' }, { text: 'ok' }], { said: ['Half \ud83d', 'And?'] });
    expect(messages?.map(({ content }) => content)).toEqual([
      'Be brief.',
      'Half \ufffd',
      'half \ufffd',
      'And?',
    ]);
  });
});

describe.each(VERSIONS)('files by %s', (version) => {
  const PNG = new Uint8Array([137, 80, 78, 71]);
  const BASE64 = 'iVBORw==';

  async function sent(content: Extract<Message['content'], readonly unknown[]>) {
    const { provider, server } = await chat(version, [{ text: 'ok' }]);
    await ask(provider, 'generate', { messages: [{ role: 'user', content }] });
    return server.requests[0]?.messages[0]?.content;
  }

  it.each([
    ['bytes', PNG, 'image/png', `data:image/png;base64,${BASE64}`],
    ['base64', BASE64, 'image/png', `data:image/png;base64,${BASE64}`],
    ['a data URL', `data:image/webp;base64,${BASE64}`, undefined, `data:image/webp;base64,${BASE64}`],
    ['a URL', 'https://example.com/a.png', 'image/png', 'https://example.com/a.png'],
  ])('an image as %s', async (_, image, mediaType, url) => {
    const part = { type: 'image' as const, image, ...(mediaType && { mediaType }) };
    expect(await sent([{ type: 'text', text: 'See' }, part])).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url } },
    ]);
  });
});

describe.each(['v3', 'v4'] as const)('a %s model that signs its calls', (version) => {
  const answers: readonly ChatAnswer[] = [
    { text: 'I look.', toolCalls: [CALL, { ...CALL, id: 'call_2' }] },
    { toolCalls: [CALL] },
    { text: 'Cold.' },
  ];

  it.each(['generate', 'stream'] as const)('gets each signature back with its call, by %s', async (mode) => {
    const model = await chat(version, answers, { signsCalls: true });
    await talk(model, mode);
    expect(model.server.refusals).toEqual([]);
    const signatures = model.server.requests
      .at(-1)
      ?.messages.flatMap(({ tool_calls: calls = [] }) =>
        calls.map((call) => call.extra_content?.google?.thought_signature),
      );
    expect(signatures).toEqual(['signed 0/0', 'signed 0/1', 'signed 1/0']);
  });

  it('refuses them without: the parts are what carries the signatures', async () => {
    const model = await chat(version, answers, { signsCalls: true });
    const forgetful = forgetting(model);
    expect(await rejection(talk(forgetful, 'generate'))).toMatchObject({ status: 400 });
    expect(model.server.refusals).toHaveLength(1);
  });
});

describe('a conversation that another version goes on with', () => {
  it.each([
    ['v3', 'v4'],
    ['v4', 'v3'],
  ] as const)('%s to %s: every call has its signature', async (before, after) => {
    const { server, provider } = await chat(
      before,
      [{ text: 'I look.', toolCalls: [CALL] }, { text: 'Cold.' }, { text: 'Bye.' }],
      {
        signsCalls: true,
      },
    );
    const tools = [forecast()];
    const { messages } = await createAgent({ provider, tools }).send('Weather?');
    const next = createAgent({ provider: aiSdk(modelOf(after, server)), tools });
    const { text } = await next.send([...messages, { role: 'user', content: 'Thanks' }]);
    expect(text).toBe('Bye.');
    expect(server.refusals).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });
});

function forgetting({ server, provider }: Chat): Chat {
  const generate: typeof provider.generate = async (request) => {
    const { providerParts: _lost, ...response } = await provider.generate(request);
    return response;
  };
  return { server, provider: { name: provider.name, generate } };
}
