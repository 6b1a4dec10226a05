import type { AiSdkModel } from '@lousho/ai-sdk';
import { aiSdk } from '@lousho/ai-sdk';
import { createAgent, SDKError } from '@lousho/core';
import { extractReasoningMiddleware, wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { ask, chat, MODES, modelOf, rejection, VERSIONS, WAYS } from './support/chat.js';
import { recordedModel } from './support/recorded-model.js';

describe.each(VERSIONS)('a model of %s', (version) => {
  it('names its provider and itself', async () => {
    const { provider } = await chat(version, []);
    expect(provider).toMatchObject({ name: 'google.chat', defaultModel: 'small' });
  });

  it('is not taken for another one', async () => {
    const { provider, server } = await chat(version, [{ text: 'x' }]);
    for (const mode of MODES) {
      expect(await rejection(ask(provider, mode, { model: 'large' }))).toMatchObject({
        code: 'LOUSHO_CONFIG_INVALID',
        field: 'model',
        detail: 'Expected `model` to be `small`, which aiSdk() was given without `models`, got `large`',
      });
    }
    expect(server.requests).toEqual([]);
    await createAgent({ provider, model: 'small' }).send('Hi');
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(WAYS)('an agent of several models of %s, by %s', (version, mode) => {
  it('asks the one that it names, and tells which one answered', async () => {
    const { server } = await chat(version, [{ text: 'x' }]);
    const provider = aiSdk(modelOf(version, server), { models: (id) => modelOf(version, server, id) });
    const usages = [];
    for (const model of [undefined, 'large', 'small'])
      usages.push((await ask(provider, mode, model === undefined ? {} : { model })).usage?.model);
    expect(server.requests.map(({ model }) => model)).toEqual(['small', 'large', 'small']);
    expect(usages).toEqual(['small-2026', 'large-2026', 'small-2026']);
  });

  it('is told when there is none of the name', async () => {
    const { server } = await chat(version, [{ text: 'x' }]);
    const nothing = () => undefined as unknown as AiSdkModel;
    const provider = aiSdk(modelOf(version, server), { models: nothing });
    expect(await rejection(ask(provider, mode, { model: 'large' }))).toMatchObject({
      code: 'LOUSHO_CONFIG_INVALID',
      field: 'models',
    });
  });
});

describe('a model with middleware of the AI SDK', () => {
  it.each(MODES)('is a model like any other, by %s', async (mode) => {
    const { server } = await chat('v3', [{ text: '<think>Norway.</think>Cold.' }]);
    const model = wrapLanguageModel({
      model: modelOf('v3', server) as Parameters<typeof wrapLanguageModel>[0]['model'],
      middleware: extractReasoningMiddleware({ tagName: 'think' }),
    });
    const { text, reasoning } = await ask(aiSdk(model), mode);
    expect(text).toBe('Cold.');
    expect(reasoning).toEqual([{ type: 'reasoning', text: 'Norway.' }]);
  });
});

describe('aiSdk() refuses', () => {
  it.each([
    ['a model’s name', 'gpt-5'],
    ['nothing', undefined],
    ['null', null],
    ['a provider', () => undefined],
    ['an older specification', { ...recordedModel('v3', []), specificationVersion: 'v1' }],
    ['a model that cannot stream', { ...recordedModel('v3', []), doStream: undefined }],
  ])('%s', (_, model) => {
    expect(() => aiSdk(model as unknown as AiSdkModel)).toThrow(
      expect.objectContaining({
        code: 'LOUSHO_CONFIG_INVALID',
        detail: expect.stringMatching(/^Expected `model` to be a language model of the AI SDK/),
      }),
    );
  });

  it('an unknown option', () => {
    const misspelt = { maxTokens: 7 } as object;
    expect(() => aiSdk(recordedModel('v3', []), misspelt)).toThrow(/maxOutputTokens/);
  });
});

describe('tools that the provider runs', () => {
  it.each([
    ['v2', 'provider-defined'],
    ['v3', 'provider'],
    ['v4', 'provider'],
  ] as const)('%s gets them as %s', async (version, type) => {
    const seen: unknown[] = [];
    const model = recordedModel(version, []);
    const watched: AiSdkModel = {
      ...model,
      doGenerate: (options: never) => {
        seen.push((options as { tools: unknown }).tools);
        return model.doGenerate(options);
      },
    };
    const search = {
      type: 'provider',
      id: 'openai.web_search',
      name: 'web_search',
      args: { size: 1 },
    } as const;
    await ask(aiSdk(watched, { providerTools: [search] }), 'generate');
    expect(seen).toEqual([[{ ...search, type }]]);
  });
});

describe('what a model throws without a status', () => {
  const throwing = (error: unknown): AiSdkModel => ({
    ...recordedModel('v3', []),
    doGenerate: () => Promise.reject(error),
  });
  const named = (name: string, fields: object = {}) => Object.assign(new Error('no'), { name, ...fields });

  it.each([
    ['AI_LoadAPIKeyError', named('AI_LoadAPIKeyError'), { retryable: false, category: 'auth-failure' }],
    ['AI_UnsupportedFunctionalityError', named('AI_UnsupportedFunctionalityError'), { retryable: false }],
    ['AI_NoSuchModelError', named('AI_NoSuchModelError'), { retryable: false }],
    ['AI_InvalidArgumentError', named('AI_InvalidArgumentError'), { retryable: false }],
    ['AI_InvalidPromptError', named('AI_InvalidPromptError'), { retryable: false }],
    ['AI_InvalidResponseDataError', named('AI_InvalidResponseDataError'), { retryable: true }],
    ['AI_EmptyResponseBodyError', named('AI_EmptyResponseBodyError'), { retryable: true }],
    [
      'a timeout of its own',
      new DOMException('late', 'TimeoutError'),
      { retryable: true, category: 'timeout' },
    ],
    ['ETIMEDOUT underneath', named('Error', { cause: { code: 'ETIMEDOUT' } }), { category: 'timeout' }],
    [
      'several tries, of which the last counts',
      named('AI_RetryError', { lastError: named('AI_APICallError', { statusCode: 401 }) }),
      { status: 401, retryable: false },
    ],
    ['text', 'plain text', { retryable: true, detail: 'provider recorded: plain text' }],
    ['nothing', undefined, { retryable: true, detail: 'provider recorded: the model call failed' }],
  ])('%s', async (_, error, wanted) => {
    expect(await rejection(ask(aiSdk(throwing(error)), 'generate'))).toMatchObject({
      code: 'LOUSHO_PROVIDER_REQUEST_FAILED',
      ...wanted,
    });
  });

  it('an SDKError comes out as it is', async () => {
    const own = new SDKError('LOUSHO_CONFIG_INVALID', 'x');
    expect(await rejection(ask(aiSdk(throwing(own)), 'generate'))).toBe(own);
  });
});

describe('how long to wait', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'Retry-After': '0.5' }, 500],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-7' }, undefined],
    [{ 'retry-after': '99999999999' }, undefined],
    [{ 'retry-after': new Date(0).toUTCString() }, 0],
    [{}, undefined],
  ])('%j: %s ms', async (responseHeaders, retryAfterMs) => {
    const error = Object.assign(new Error('slow down'), { statusCode: 429, responseHeaders });
    const model: AiSdkModel = { ...recordedModel('v3', []), doGenerate: () => Promise.reject(error) };
    expect(await rejection(ask(aiSdk(model), 'generate'))).toMatchObject({ retryAfterMs });
  });

  it('until a date', async () => {
    const at = Math.ceil(Date.now() / 1_000) * 1_000 + 60_000;
    const responseHeaders = { 'retry-after': new Date(at).toUTCString() };
    const error = Object.assign(new Error('slow down'), { statusCode: 429, responseHeaders });
    const model: AiSdkModel = { ...recordedModel('v3', []), doGenerate: () => Promise.reject(error) };
    const before = Date.now();
    const { retryAfterMs } = (await rejection(ask(aiSdk(model), 'generate'))) as { retryAfterMs: number };
    expect(retryAfterMs).toBeLessThanOrEqual(at - before);
    expect(retryAfterMs).toBeGreaterThan(0);
  });
});
