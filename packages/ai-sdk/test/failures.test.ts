import { aiSdk } from '@lousho/ai-sdk';
import type { ProviderRequestError } from '@lousho/core';
import type { ChatAnswer } from '@lousho/test-backends';
import { describe, expect, it } from 'vitest';
import { ask, chat, rejection, VERSIONS, WAYS } from './support/chat.js';
import { recordedModel } from './support/recorded-model.js';

const refused = (status: number, error: object = {}, headers?: Record<string, string>): ChatAnswer => ({
  status,
  error: { message: 'no', ...error },
  ...(headers && { headers }),
});

/** What a vendor answers, and what core makes of it. */
const FAILURES: readonly [string, ChatAnswer, Partial<ProviderRequestError>][] = [
  ['400', refused(400), { status: 400, category: undefined, retryable: false }],
  ['401', refused(401), { status: 401, category: 'auth-failure', retryable: false }],
  ['402', refused(402), { status: 402, category: 'quota-exceeded', retryable: false }],
  ['403', refused(403), { status: 403, category: 'auth-failure', retryable: false }],
  ['404', refused(404), { status: 404, category: undefined, retryable: false }],
  ['408', refused(408), { status: 408, category: 'timeout', retryable: true }],
  ['413', refused(413), { status: 413, category: 'context-length-exceeded', retryable: false }],
  ['422', refused(422), { status: 422, category: undefined, retryable: false }],
  ['429', refused(429), { status: 429, category: 'rate-limit', retryable: true, retryAfterMs: undefined }],
  [
    '429 with a wait in seconds',
    refused(429, {}, { 'retry-after': '7' }),
    { status: 429, category: 'rate-limit', retryable: true, retryAfterMs: 7_000 },
  ],
  [
    '429 with a wait in milliseconds',
    refused(429, {}, { 'retry-after-ms': '250', 'retry-after': '1' }),
    { retryable: true, retryAfterMs: 250 },
  ],
  [
    '429 for a quota that is used up',
    refused(429, { code: 'insufficient_quota', type: 'insufficient_quota' }),
    { status: 429, category: 'quota-exceeded', retryable: false },
  ],
  ['500', refused(500), { status: 500, category: undefined, retryable: true }],
  [
    '503 with a wait',
    refused(503, {}, { 'retry-after': '2' }),
    { status: 503, retryable: true, retryAfterMs: 2_000 },
  ],
  ['504', refused(504), { status: 504, category: 'timeout', retryable: true }],
  ['529', refused(529, { type: 'overloaded_error' }), { status: 529, retryable: true }],
  [
    'a context that is too long, by its code',
    refused(400, { code: 'context_length_exceeded' }),
    { status: 400, category: 'context-length-exceeded', retryable: false },
  ],
  [
    'a context that is too long, by its words',
    refused(400, { message: 'prompt is too long: 208310 tokens > 200000 maximum' }),
    { status: 400, category: 'context-length-exceeded', retryable: false },
  ],
];

describe.each(WAYS)('a call by %s, by %s, that fails with', (version, mode) => {
  it.each(FAILURES)('%s', async (_, answer, wanted) => {
    const { provider } = await chat(version, [answer]);
    const error = await rejection(ask(provider, mode));
    expect(error).toMatchObject({
      name: 'ProviderRequestError',
      code: 'LOUSHO_PROVIDER_REQUEST_FAILED',
      ...wanted,
    });
    expect((error as Error).cause).toMatchObject({ name: 'AI_APICallError' });
  });

  it('a connection that ends before the answer: may be tried again', async () => {
    const { provider } = await chat(version, [{ cut: 'before', reply: { text: 'Hello there' } }]);
    expect(await rejection(ask(provider, mode))).toMatchObject({ status: undefined, retryable: true });
  });

  it('a connection that ends within the answer: may be tried again', async () => {
    const { provider } = await chat(version, [{ cut: 'within', reply: { text: 'Hello there, all of you' } }]);
    expect(await rejection(ask(provider, mode))).toMatchObject({
      name: 'ProviderRequestError',
      retryable: true,
    });
  });

  it('nobody at the other end: may be tried again', async () => {
    const { provider, server } = await chat(version, [{ text: 'x' }]);
    await server.close();
    expect(await rejection(ask(provider, mode))).toMatchObject({ status: undefined, retryable: true });
  });
});

describe.each(VERSIONS)('a stream by %s', (version) => {
  it.each([
    ['server_error', { type: 'server_error' }, { retryable: true }],
    ['overloaded_error', { type: 'overloaded_error' }, { retryable: true }],
    ['rate_limit_error', { type: 'rate_limit_error' }, { category: 'rate-limit', retryable: true }],
    [
      'authentication_error',
      { type: 'authentication_error' },
      { category: 'auth-failure', retryable: false },
    ],
    ['invalid_request_error', { type: 'invalid_request_error' }, { retryable: false }],
    [
      'context_length_exceeded',
      { type: 'invalid_request_error', code: 'context_length_exceeded' },
      { category: 'context-length-exceeded', retryable: false },
    ],
    ['a status as its code', { code: 502 }, { status: 502, retryable: true }],
    ['a final status as its code', { code: 402 }, { status: 402, retryable: false }],
  ])('that tells of %s fails with it, and gives no answer', async (_, error, wanted) => {
    const { provider } = await chat(version, [
      { streamError: { message: 'it broke', ...error }, reply: { text: 'Hello there, all of you' } },
    ]);
    const rejected = await rejection(ask(provider, 'stream'));
    expect(rejected).toMatchObject({ name: 'ProviderRequestError', ...wanted });
    expect((rejected as ProviderRequestError).detail).toMatch(/^provider google\.chat: .*it broke/);
  });
});

describe.each(['v3', 'v4'] as const)('a stream by %s', (version) => {
  it('that ends in order and too early is no answer', async () => {
    const { provider } = await chat(version, [{ cut: 'early', reply: { text: 'Hello there, all of you' } }]);
    expect(await rejection(ask(provider, 'stream'))).toMatchObject({
      name: 'ProviderRequestError',
      retryable: true,
    });
  });
});

describe.each(VERSIONS)('a stream by %s', (version) => {
  it('without a finish part is no answer, whatever it said', async () => {
    const model = recordedModel(version, [[{ type: 'text', text: 'Hello there' }]], { isWhole: false });
    expect(await rejection(ask(aiSdk(model), 'stream'))).toMatchObject({
      name: 'ProviderRequestError',
      detail: 'provider recorded: the answer was cut off',
      retryable: true,
    });
  });
});

describe.each(WAYS)('the key of %s, by %s', (version, mode) => {
  it('that is wrong is final, and its text holds no key', async () => {
    const { provider } = await chat(version, [{ text: 'x' }], {
      options: { headers: { authorization: 'Bearer wrong-key' } },
    });
    const error = (await rejection(ask(provider, mode))) as ProviderRequestError;
    expect(error).toMatchObject({ status: 401, category: 'auth-failure', retryable: false });
    expect(error.message).not.toContain('wrong-key');
  });
});

describe.each(WAYS)('a request by %s, by %s', (version, mode) => {
  it('that is longer than the context is final', async () => {
    const { provider } = await chat(version, [{ text: 'x' }], { contextTokens: 100 });
    const error = await rejection(
      ask(provider, mode, { messages: [{ role: 'user', content: 'word '.repeat(200) }] }),
    );
    expect(error).toMatchObject({ status: 400, category: 'context-length-exceeded', retryable: false });
  });
});
