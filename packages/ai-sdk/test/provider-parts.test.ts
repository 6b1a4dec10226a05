import { aiSdk } from '@lousho/ai-sdk';
import { decode, encode, type Message, type ModelResponse } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { ask, MODES, type Mode, rejection, VERSIONS, type Version } from './support/chat.js';
import { type Content, recordedModel } from './support/recorded-model.js';

const signed = (signature: string) => ({ anthropic: { signature } });

/** Thinking between texts and calls, as Claude does it. */
const INTERLEAVED: Content = [
  { type: 'reasoning', text: 'First Oslo.', providerMetadata: signed('a') },
  { type: 'text', text: 'I look at Oslo. ' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'forecast', input: '{"city":"Oslo"}' },
  { type: 'reasoning', text: 'Then Rome.', providerMetadata: signed('b') },
  { type: 'text', text: 'And at Rome.', providerMetadata: { openai: { itemId: 'msg_1' } } },
  {
    type: 'tool-call',
    toolCallId: 'c2',
    toolName: 'forecast',
    input: '{"city":"Rome"}',
    providerMetadata: { google: { thoughtSignature: 'c' } },
  },
];

/** What the same turn is in a prompt. */
const INTERLEAVED_PROMPT = [
  { type: 'reasoning', text: 'First Oslo.', providerOptions: signed('a') },
  { type: 'text', text: 'I look at Oslo. ' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'forecast', input: { city: 'Oslo' } },
  { type: 'reasoning', text: 'Then Rome.', providerOptions: signed('b') },
  { type: 'text', text: 'And at Rome.', providerOptions: { openai: { itemId: 'msg_1' } } },
  {
    type: 'tool-call',
    toolCallId: 'c2',
    toolName: 'forecast',
    input: { city: 'Rome' },
    providerOptions: { google: { thoughtSignature: 'c' } },
  },
];

/** The assistant message that core makes of a response, after it was stored and read. */
function stored({ text = '', toolCalls, reasoning, providerParts }: ModelResponse): Message {
  const message: Message = {
    role: 'assistant',
    content: text,
    ...(toolCalls && { toolCalls }),
    ...(reasoning && { reasoning }),
    ...(providerParts && { providerParts }),
  };
  return decode(encode(message)) as Message;
}

/** How a turn stands in the next prompt, when it is asked for by one model and sent to another. */
async function sentBack(
  content: Content,
  {
    from = 'v3',
    to = from,
    mode = 'generate',
    change = (message: Message) => message,
  }: {
    from?: Version;
    to?: Version;
    mode?: Mode;
    change?: (message: Message) => Message;
  } = {},
): Promise<unknown> {
  const message = stored(await ask(aiSdk(recordedModel(from, [content])), mode));
  return promptOf(change(message), to);
}

async function promptOf(message: Message, version: Version = 'v3'): Promise<unknown> {
  const model = recordedModel(version, []);
  const results = (message.toolCalls ?? []).map(
    ({ id }): Message => ({ role: 'tool', toolCallId: id, content: '1' }),
  );
  const messages: Message[] = [{ role: 'user', content: 'Hi' }, message, ...results];
  await ask(aiSdk(model), 'generate', { messages: [...messages, { role: 'user', content: 'And?' }] });
  const [prompt] = model.prompts as { role: string; content: unknown }[][];
  return prompt?.find(({ role }) => role === 'assistant')?.content;
}

describe.each(VERSIONS.flatMap((version) => MODES.map((mode) => [version, mode] as const)))(
  'a turn of %s, by %s',
  (from, mode) => {
    it('comes back in its order and with its signatures, from a store too', async () => {
      expect(await sentBack(INTERLEAVED, { from, mode })).toEqual(INTERLEAVED_PROMPT);
    });

    it('is text, reasoning and calls to everybody else', async () => {
      const { text, reasoning, toolCalls } = await ask(aiSdk(recordedModel(from, [INTERLEAVED])), mode);
      expect(text).toBe('I look at Oslo. And at Rome.');
      expect(reasoning).toEqual([
        { type: 'reasoning', text: 'First Oslo.', providerMetadata: signed('a') },
        { type: 'reasoning', text: 'Then Rome.', providerMetadata: signed('b') },
      ]);
      expect(toolCalls?.map(({ id, function: { arguments: args } }) => [id, args])).toEqual([
        ['c1', '{"city":"Oslo"}'],
        ['c2', '{"city":"Rome"}'],
      ]);
    });
  },
);

describe('two texts in a row', () => {
  it('come back as two', async () => {
    const texts: Content = [
      { type: 'text', text: 'One. ' },
      { type: 'text', text: 'Two.' },
    ];
    expect(await sentBack(texts)).toEqual(texts);
  });
});

describe('an empty part', () => {
  const withEmpty = (part: Content[number]): Content => [
    ...INTERLEAVED.slice(0, 3),
    part,
    ...INTERLEAVED.slice(3),
  ];

  it.each(['text', 'reasoning'])('of %s is left out: vendors refuse it', async (type) => {
    expect(await sentBack(withEmpty({ type, text: '' }))).toEqual(INTERLEAVED_PROMPT);
  });

  it('that is signed is kept, such as reasoning that was redacted', async () => {
    const redacted = { anthropic: { redactedData: 'x' } };
    const content = withEmpty({ type: 'reasoning', text: '', providerMetadata: redacted });
    expect(await sentBack(content)).toEqual([
      ...INTERLEAVED_PROMPT.slice(0, 3),
      { type: 'reasoning', text: '', providerOptions: redacted },
      ...INTERLEAVED_PROMPT.slice(3),
    ]);
  });
});

describe('a turn that its provider ran a tool in', () => {
  const SEARCH: Content = [
    {
      type: 'tool-call',
      toolCallId: 's1',
      toolName: 'web_search',
      input: '{"q":"Oslo"}',
      providerExecuted: true,
      providerMetadata: signed('s'),
    },
    {
      type: 'tool-result',
      toolCallId: 's1',
      toolName: 'web_search',
      result: ['searching'],
      preliminary: true,
    },
    { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: [{ url: 'x' }] },
    { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' },
    { type: 'text', text: 'It is cold.' },
  ];

  it('has no call for the run to make, and call and result come back', async () => {
    const response = await ask(aiSdk(recordedModel('v3', [SEARCH])), 'stream');
    expect(response.toolCalls).toBeUndefined();
    expect(await promptOf(stored(response))).toEqual([
      {
        type: 'tool-call',
        toolCallId: 's1',
        toolName: 'web_search',
        input: { q: 'Oslo' },
        providerExecuted: true,
        providerOptions: signed('s'),
      },
      {
        type: 'tool-result',
        toolCallId: 's1',
        toolName: 'web_search',
        output: { type: 'json', value: [{ url: 'x' }] },
      },
      { type: 'text', text: 'It is cold.' },
    ]);
  });

  it('keeps its sources, for people', async () => {
    const { providerParts } = await ask(aiSdk(recordedModel('v3', [SEARCH])), 'generate');
    expect(JSON.stringify(providerParts)).toContain('https://example.com');
  });

  it('whose tool failed says so', async () => {
    const failed = [
      ...SEARCH.slice(0, 1),
      { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: 'down', isError: true },
    ];
    expect(await sentBack(failed)).toMatchObject([{}, { output: { type: 'error-json', value: 'down' } }]);
  });

  it('and that wants a person to approve it, is refused', async () => {
    const asks: Content = [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 's1' }];
    expect(await rejection(ask(aiSdk(recordedModel('v3', [asks])), 'generate'))).toMatchObject({
      code: 'LOUSHO_PROVIDER_RESPONSE_INVALID',
      retryable: false,
    });
  });
});

describe('a file that a model made', () => {
  const BYTES = new Uint8Array([1, 2, 3]);
  const old: Content = [{ type: 'file', mediaType: 'image/png', data: BYTES }];
  const today: Content = [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: BYTES } }];
  const linked: Content = [
    {
      type: 'file',
      mediaType: 'image/png',
      data: { type: 'url', url: new URL('https://example.com/a.png') },
    },
  ];

  it.each([
    ['v3', 'v3', old, BYTES],
    ['v3', 'v4', old, { type: 'data', data: BYTES }],
    ['v4', 'v4', today, { type: 'data', data: BYTES }],
    ['v4', 'v3', today, BYTES],
    ['v4', 'v4', linked, { type: 'url', url: new URL('https://example.com/a.png') }],
    ['v4', 'v2', linked, new URL('https://example.com/a.png')],
  ] as const)('from %s to %s', async (from, to, content, data) => {
    expect(await sentBack(content, { from, to })).toEqual([{ type: 'file', mediaType: 'image/png', data }]);
  });

  it('in its reasoning goes back where there is a place for it', async () => {
    const content: Content = [
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: BYTES } },
      { type: 'custom', kind: 'openai.compaction', providerMetadata: { openai: { id: '1' } } },
      { type: 'text', text: 'See.' },
    ];
    expect(await sentBack(content, { from: 'v4' })).toEqual([
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: BYTES } },
      { type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { id: '1' } } },
      { type: 'text', text: 'See.' },
    ]);
    expect(await sentBack(content, { from: 'v4', to: 'v3' })).toEqual([{ type: 'text', text: 'See.' }]);
  });
});

describe('parts that do not fit the message any more', () => {
  const plain = (text: string) => [
    ...INTERLEAVED_PROMPT.filter(({ type }) => type === 'reasoning'),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...INTERLEAVED_PROMPT.filter(({ type }) => type === 'tool-call').map(
      ({ providerOptions: _, ...call }) => call,
    ),
  ];

  it.each([
    [
      'a text that was changed',
      (message: Message): Message => ({ ...message, content: 'Changed.' }),
      plain('Changed.'),
    ],
    [
      'a call that was taken out',
      (message: Message): Message => ({ ...message, toolCalls: message.toolCalls?.slice(0, 1) ?? [] }),
      plain('I look at Oslo. And at Rome.').slice(0, -1),
    ],
    [
      'parts of another provider',
      (message: Message): Message => ({ ...message, providerParts: [{ role: 'model' }, null, 7] }),
      plain('I look at Oslo. And at Rome.'),
    ],
  ])('%s: the message goes as it stands', async (_, change, wanted) => {
    expect(await sentBack(INTERLEAVED, { change })).toEqual(wanted);
  });

  it('a text of the same length is the message’s', async () => {
    const change = (message: Message): Message => ({
      ...message,
      content: (message.content as string).replace('Oslo', 'Kiel'),
    });
    expect(await sentBack(INTERLEAVED, { change })).toMatchObject([
      {},
      { text: 'I look at Kiel. ' },
      {},
      {},
      {},
      {},
    ]);
  });

  it('reasoning of another provider is passed over', async () => {
    const message: Message = {
      role: 'assistant',
      content: 'Cold.',
      reasoning: [{ type: 'thinking', thinking: 'x' }, 'y', null],
    };
    expect(await promptOf(message)).toEqual([{ type: 'text', text: 'Cold.' }]);
  });
});

describe('metadata that is no JSON', () => {
  it('is kept as far as JSON goes, and the answer with it', async () => {
    const cycle: Record<string, unknown> = { name: 'cycle' };
    cycle.self = cycle;
    const at = new Date(0);
    const providerMetadata = {
      odd: {
        at,
        url: new URL('https://example.com/'),
        none: undefined,
        many: [undefined, 1],
        big: 7n,
        nan: Number.NaN,
        cycle,
        run: () => 1,
      },
    };
    expect(await sentBack([{ type: 'text', text: 'x', providerMetadata }])).toEqual([
      {
        type: 'text',
        text: 'x',
        providerOptions: {
          odd: {
            at: '1970-01-01T00:00:00.000Z',
            url: 'https://example.com/',
            many: [null, 1],
            big: '7',
            nan: null,
            cycle: { name: 'cycle' },
          },
        },
      },
    ]);
  });
});
