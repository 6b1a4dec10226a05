import {
  createAgent,
  type LLMProvider,
  type Message,
  PropagatingToolError,
  ProviderRequestError,
} from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { codeOf, rejection } from '../support/rejections.js';
import { spyStore } from './support/spy-store.js';
import { calls, tool } from './support/tools.js';
import { isWellFormed } from './support/well-formed.js';

const SESSION = { sessionId: 'order-7' };
const failure = (fields: object) => Object.assign(new Error('the provider said no'), fields);

describe('a model call that fails', () => {
  it.each([
    ['400', { status: 400 }, false],
    ['401', { status: 401 }, false],
    ['403', { status: 403 }, false],
    ['404', { statusCode: 404 }, false],
    ['408', { status: 408 }, true],
    ['422', { status: 422 }, false],
    ['429', { status: 429 }, true],
    ['500', { status: 500 }, true],
    ['503', { statusCode: 503 }, true],
    ['529', { status: 529 }, true],
    ['a broken connection', { code: 'ECONNRESET' }, true],
    ['an error that says nothing', {}, true],
    ['too long a context', { category: 'context-length-exceeded' }, false],
    ['a wrong key', { category: 'auth-failure' }, false],
  ])('E4 %s: recorded, and retryable or not', async (_, fields, retryable) => {
    const store = spyStore();
    const cause = failure(fields);
    const agent = createAgent({ provider: mockModel([{ error: cause }]), store });
    const error = await rejection(agent.send('Hi', SESSION));
    expect(error).toMatchObject({ code: 'LOUSHO_PROVIDER_REQUEST_FAILED', retryable, cause });
    const [run] = await agent.pending();
    expect(run).toMatchObject({ sessionId: 'order-7', status: 'in-progress', attempts: 1 });
    expect(run?.lastError).toMatchObject({ retryable, code: 'LOUSHO_PROVIDER_REQUEST_FAILED' });
    expect(run?.lastError?.message).toMatch(/the provider said no/);
    expect(run?.lastError?.message).not.toMatch(/\n/);
    const { category } = fields as { category?: string };
    expect(run?.lastError?.category).toBe(category);
    expect(new Date(run?.lastError?.at ?? '').toISOString()).toBe(run?.lastError?.at);
  });

  it('says what it knows: status, category and how long to wait', async () => {
    const cause = failure({ statusCode: 429, category: 'rate-limit', retryAfterMs: 2_500 });
    const agent = createAgent({ provider: mockModel([{ error: cause }]), store: spyStore() });
    const error = await rejection(agent.send('Hi', SESSION));
    expect(error).toBeInstanceOf(ProviderRequestError);
    expect(error).toMatchObject({ status: 429, category: 'rate-limit', retryAfterMs: 2_500, cause });
    const [{ lastError } = {}] = await agent.pending();
    expect(Date.parse(lastError?.retryAt ?? '') - Date.parse(lastError?.at ?? '')).toBe(2_500);
  });

  it('one that the provider made itself comes out as it is', async () => {
    const made = new ProviderRequestError('provider x: too long', { category: 'context-length-exceeded' });
    const agent = createAgent({ provider: mockModel([{ error: made }]), store: spyStore() });
    expect(await rejection(agent.send('Hi', SESSION))).toBe(made);
    expect((await agent.pending())[0]?.lastError).toMatchObject({
      message: 'provider x: too long',
      category: 'context-length-exceeded',
      retryable: false,
    });
  });

  it('a wait that is asked for after a final error is not kept', async () => {
    const agent = createAgent({
      provider: mockModel([{ error: failure({ status: 401, retryAfterMs: 1_000 }) }]),
      store: spyStore(),
    });
    await rejection(agent.send('Hi', SESSION));
    expect((await agent.pending())[0]?.lastError).not.toHaveProperty('retryAt');
  });

  it('E4 attempts are counted in a row; the first progress drops error and count', async () => {
    const store = spyStore();
    const no = { error: failure({ status: 400 }) };
    const provider = mockModel([no, no, calls('a'), no, 'ok']);
    const agent = createAgent({ provider, tools: [tool('a')], store });
    const attempt = async () => {
      await agent.send([], SESSION).catch(() => undefined);
      const stored = await store.inner.load('order-7');
      return [stored?.attempts, stored?.lastError?.retryable, stored?.status];
    };
    await rejection(agent.send('Hi', SESSION));
    expect(await attempt()).toEqual([2, false, 'in-progress']);
    expect(await attempt()).toEqual([1, false, 'in-progress']);
    const turn = store.saves.find((save) => save.checkpoint.stepIndex === 1)?.checkpoint;
    expect(turn && 'lastError' in turn).toBe(false);
    expect(turn && 'attempts' in turn).toBe(false);
    expect(await attempt()).toEqual([undefined, undefined, 'finished']);
  });

  it('E5 after a 503 the next send resumes, and the message sent again is not doubled', async () => {
    const store = spyStore();
    const provider = mockModel([{ error: failure({ status: 503 }) }, 'Hello.']);
    const agent = createAgent({ provider, store });
    await rejection(agent.send('Hi', SESSION));
    const { messages } = await agent.send('Hi', SESSION);
    expect(messages).toHaveLength(2);
  });

  it('a provider that throws no error is still a coded one', async () => {
    const provider: LLMProvider = {
      name: 'odd',
      generate: () => {
        throw 'plain text';
      },
    };
    expect(await codeOf(createAgent({ provider }).send('Hi'))).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'hello'],
    ['a call without a name', { toolCalls: [{ id: 'x' }] }],
    ['a call that is none', { toolCalls: [null] }],
    ['calls that are no list', { toolCalls: { id: 'x' } }],
    ['text that is none', { text: 42 }],
  ])('a provider that answers with %s is refused, and not tried again by recovery', async (_, response) => {
    const store = spyStore();
    const provider = { name: 'odd', generate: async () => response } as unknown as LLMProvider;
    const agent = createAgent({ provider, store });
    expect(await codeOf(agent.send('Hi', SESSION))).toBe('LOUSHO_PROVIDER_RESPONSE_INVALID');
    expect((await agent.pending())[0]?.lastError?.retryable).toBe(false);
  });

  it('an unknown finish reason becomes `other`', async () => {
    const provider = {
      name: 'odd',
      generate: async () => ({ text: 'x', finishReason: 'max_thoughts' }),
    } as unknown as LLMProvider;
    expect((await createAgent({ provider }).send('Hi')).finishReason).toBe('other');
  });
});

const HALF = 'cut \ud83d';

describe('A69 half an emoji', () => {
  function strictProvider(script: Parameters<typeof mockModel>[0]) {
    const model = mockModel(script);
    const check = (value: unknown): void => {
      if (typeof value === 'string' && !isWellFormed(value)) throw new Error('the request is not UTF-8');
      if (typeof value === 'object' && value !== null && !(value instanceof AbortSignal))
        Object.values(value).forEach(check);
    };
    const provider: LLMProvider = {
      ...model,
      generate: (request) => {
        check(request.messages);
        return model.generate(request);
      },
    };
    return { provider, model };
  }

  it('in a user message is stored as it is, and never sent', async () => {
    const store = spyStore();
    const { provider, model } = strictProvider(['ok']);
    await createAgent({ provider, store }).send(HALF, SESSION);
    expect(model.lastCall?.messages[0]?.content).toBe('cut \ufffd');
    expect((await store.inner.load('order-7'))?.messages[0]?.content).toBe(HALF);
  });

  it('in a content part is never sent', async () => {
    const { provider, model } = strictProvider(['ok']);
    const bytes = new Uint8Array([1]);
    await createAgent({ provider }).send([
      { type: 'text', text: HALF },
      { type: 'image', image: bytes },
    ]);
    expect(model.lastCall?.messages[0]?.content).toEqual([
      { type: 'text', text: 'cut \ufffd' },
      { type: 'image', image: bytes },
    ]);
  });

  it('in the system prompt is never sent', async () => {
    const { provider } = strictProvider(['ok']);
    expect((await createAgent({ provider, instructions: HALF }).send('Hi')).text).toBe('ok');
  });

  it('in a tool’s text result is never sent', async () => {
    const { provider } = strictProvider([calls('a'), 'ok']);
    const agent = createAgent({ provider, tools: [tool('a', () => HALF)], store: spyStore() });
    const { finishReason, toolCalls } = await agent.send('Hi', SESSION);
    expect(finishReason).toBe('stop');
    expect(toolCalls[0]?.result).toBe(HALF);
  });

  it('in the model’s own text and arguments is never sent back', async () => {
    const raw = `{"note":"${HALF}"}`;
    let asked = 0;
    const { provider: strict } = strictProvider(['ok']);
    const provider: LLMProvider = {
      name: 'odd',
      generate: async (request) => {
        asked += 1;
        if (asked > 1) return strict.generate(request);
        const call = { id: 'c1', type: 'function' as const, function: { name: 'a', arguments: raw } };
        return { text: HALF, toolCalls: [call] };
      },
    };
    const { finishReason } = await createAgent({ provider, tools: [tool('a')] }).send('Hi');
    expect(finishReason).toBe('stop');
  });
});

describe('the request', () => {
  it('carries model, tools as JSON Schema, session and step', async () => {
    const provider = mockModel([calls('a'), 'ok'], { defaultModel: 'small' });
    await createAgent({ provider, tools: [tool('a')], store: spyStore() }).send('Go', SESSION);
    expect(provider.calls.map(({ model, step, sessionId }) => ({ model, step, sessionId }))).toEqual([
      { model: 'small', step: 1, sessionId: 'order-7' },
      { model: 'small', step: 2, sessionId: 'order-7' },
    ]);
    expect(provider.calls[0]?.tools).toMatchObject([
      { name: 'a', description: 'a', inputSchema: { type: 'object' } },
    ]);
  });

  it('the agent’s model goes before the provider’s', async () => {
    const provider = mockModel(['ok'], { defaultModel: 'small' });
    await createAgent({ provider, model: 'large' }).send('Go');
    expect(provider.lastCall?.model).toBe('large');
  });

  it('reasoning and provider parts come back to the provider untouched, over a crash too', async () => {
    const store = spyStore();
    const reasoning = [{ type: 'thinking', signature: 'abc', data: new Uint8Array([9]) }];
    const providerParts = [{ type: 'text', chars: 0 }, { signature: HALF }, new Uint8Array([7])];
    const requests: (readonly Message[])[] = [];
    const provider: LLMProvider = {
      name: 'thinker',
      generate: async ({ messages }) => {
        requests.push(messages);
        if (requests.length > 1) return { text: 'ok' };
        const call = { id: 'c1', type: 'function' as const, function: { name: 'a', arguments: '{}' } };
        return { reasoning, providerParts, toolCalls: [call] };
      },
    };
    let isFirst = true;
    const a = tool('a', () => {
      if (!isFirst) return 1;
      isFirst = false;
      throw new PropagatingToolError('died');
    });
    const agent = createAgent({ provider, tools: [a], store });
    await rejection(agent.send('Go', SESSION));
    await agent.resume('order-7');
    expect(requests[1]?.[1]).toMatchObject({ reasoning, providerParts });
    expect(requests[1]?.[0]).not.toHaveProperty('providerParts');
  });
});
