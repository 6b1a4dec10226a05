import { type ChatMessage, type ChatRequest, refusalOf, startChatServer } from '@lousho/test-backends';
import { describe, expect, it, onTestFinished } from 'vitest';

const user: ChatMessage = { role: 'user', content: 'Hi' };
const asks = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'a', arguments: '{}' } })),
});
const result = (id: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content: '1' });
const says = (content: string): ChatMessage => ({ role: 'assistant', content });
const system: ChatMessage = { role: 'system', content: 'Be brief.' };
const withArguments = (text: string): ChatMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'x', type: 'function', function: { name: 'a', arguments: text } }],
});

const refused = (messages: readonly ChatMessage[], more: Partial<ChatRequest> = {}, signsCalls = false) =>
  refusalOf({ model: 'small', messages, ...more }, { signsCalls });

describe('a transcript', () => {
  it.each([
    ['of a user', [user]],
    ['with a system message', [system, user]],
    ['with a call and its result', [user, asks('x'), result('x')]],
    ['with results in another order', [user, asks('x', 'y'), result('y'), result('x')]],
    ['with an id again in a later turn', [user, asks('x'), result('x'), asks('x'), result('x')]],
    ['with input behind results', [user, asks('x'), result('x'), user]],
    ['with two messages of the user', [user, user]],
    ['of several turns', [system, user, says('Hello.'), user]],
  ])('%s is taken', (_, messages) => {
    expect(refused(messages)).toBeUndefined();
  });

  it.each([
    ['that is empty', [], /messages/],
    ['with a result without its call', [user, result('x')], /role 'tool' must be a response/],
    [
      'with a result of another turn',
      [user, asks('x'), result('x'), says('Hm.'), result('x')],
      /must be a response/,
    ],
    ['with two results of a call', [user, asks('x'), result('x'), result('x')], /must be a response/],
    ['with a call without its result', [user, asks('x', 'y'), result('x'), user], /response messages: y/],
    ['that ends without a result', [user, asks('x')], /without response messages: x/],
    ['with an id twice in a turn', [user, asks('x', 'x'), result('x'), result('x')], /must be unique/],
    ['that begins with a reply', [says('Hello.'), user], /first message must be of the user/],
    ['that begins with a reply behind the system', [system, says('Hello.'), user], /first message/],
    ['with a late system message', [user, says('Hello.'), system, user], /system message must come first/],
    ['that ends with a reply', [user, says('Hello.')], /last message/],
    ['with an empty reply', [user, says(''), user], /content or tool calls/],
    ['with an empty message of the user', [{ role: 'user', content: '' }], /must not be empty/],
    ['with arguments that are broken', [user, withArguments('{'), result('x')], /no object/],
    ['with arguments that are no object', [user, withArguments('"x"'), result('x')], /no object/],
    ['with half a character', [{ role: 'user', content: '\ud83d' }], /UTF-8/],
  ] as const)('%s is refused', (_, messages, reason) => {
    expect(refused(messages as readonly ChatMessage[])).toMatch(reason);
  });

  it('with calls that were signed is taken with the signatures of their places, and not without', () => {
    const signed = (thought_signature: string): ChatMessage => ({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'x',
          type: 'function',
          function: { name: 'a', arguments: '{}' },
          extra_content: { google: { thought_signature } },
        },
      ],
    });
    expect(refused([user, signed('signed 0/0'), result('x')], {}, true)).toBeUndefined();
    expect(refused([user, signed('signed 1/0'), result('x')], {}, true)).toMatch(/thought_signature/);
    expect(refused([user, asks('x'), result('x')], {}, true)).toMatch(/thought_signature/);
  });
});

describe('tools', () => {
  const tool = (name: string, parameters: Record<string, unknown> = { type: 'object' }) => ({
    type: 'function' as const,
    function: { name, parameters },
  });

  it.each([
    ['none, in a list', []],
    ['two of one name', [tool('a'), tool('a')]],
    ['a bad name', [tool('a b')]],
    ['parameters that are no object', [tool('a', { type: 'string' })]],
  ])('%s: refused', (_, tools) => {
    expect(refused([user], { tools })).toMatch(/tools/);
  });

  it('that are good are taken', () => {
    expect(refused([user], { tools: [tool('a'), tool('b')] })).toBeUndefined();
  });
});

describe('the server', () => {
  async function server() {
    const started = await startChatServer({ answer: () => ({ text: 'Hello there.' }), contextTokens: 50 });
    onTestFinished(() => started.close());
    const post = (body: unknown, key = started.apiKey) =>
      fetch(`${started.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      });
    return { ...started, post };
  }

  it('answers in one piece, or word by word', async () => {
    const { post } = await server();
    const whole = await (await post({ model: 'small', messages: [user] })).json();
    expect(whole).toMatchObject({
      choices: [{ message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' }],
    });
    const streamed = await (await post({ model: 'small', messages: [user], stream: true })).text();
    const events = streamed.trim().split('\n\n');
    expect(events.filter((event) => event.includes('"content"'))).toHaveLength(2);
    expect(events.at(-1)).toBe('data: [DONE]');
  });

  it('refuses with 400 and remembers why', async () => {
    const { post, refusals } = await server();
    const response = await post({ model: 'small', messages: [user, result('x')] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(refusals).toHaveLength(1);
  });

  it('lets only its key in, and only what fits its context', async () => {
    const { post, requests, refusals } = await server();
    expect((await post({ model: 'small', messages: [user] }, 'other')).status).toBe(401);
    expect(requests).toEqual([]);
    const long = await post({ model: 'small', messages: [{ role: 'user', content: 'x'.repeat(300) }] });
    expect(await long.json()).toMatchObject({ error: { code: 'context_length_exceeded' } });
    expect(refusals).toEqual([]);
  });
});
