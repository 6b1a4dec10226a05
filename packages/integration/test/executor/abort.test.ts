import { createAgent, type LLMProvider, PropagatingToolError, type RunEvent } from '@lousho/core';
import { mockModel, transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../support/rejections.js';
import { deferred, until } from './support/deferred.js';
import { roles, spyStore } from './support/spy-store.js';
import { calls, countingTool, tool } from './support/tools.js';

const SESSION = { sessionId: 'order-7' };

/** Never answers, whatever its signal says. */
function deafProvider(): LLMProvider & { asked: number } {
  const provider = {
    name: 'deaf',
    asked: 0,
    generate: () => {
      provider.asked += 1;
      return new Promise<never>(() => {});
    },
  };
  return provider;
}

describe('abort', () => {
  it('a signal that has fired already: no model call, the input is kept, the run can go on later', async () => {
    const store = spyStore();
    const provider = mockModel(['Hello.']);
    const agent = createAgent({ provider, store });
    const result = await agent.send('Hi', { ...SESSION, signal: AbortSignal.abort() });
    expect(result).toMatchObject({ finishReason: 'aborted', text: '', steps: 0 });
    expect(result.abortReason?.name).toBe('AbortError');
    expect(provider.calls).toHaveLength(0);
    expect(await store.inner.load('order-7')).toMatchObject({
      status: 'in-progress',
      messages: [{ content: 'Hi' }],
    });
    expect((await agent.resume('order-7'))?.text).toBe('Hello.');
  });

  it('I9 during a model call: a provider that ignores the signal is not waited for', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const provider = deafProvider();
    const run = createAgent({ provider, store }).send('Hi', { ...SESSION, signal: controller.signal });
    await until(() => provider.asked === 1);
    controller.abort();
    const result = await run;
    expect(result).toMatchObject({ finishReason: 'aborted', text: '' });
    expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user');
    expect(await store.inner.readLease?.('order-7')).toBeNull();
  });

  it('I9 a provider during whose very call the signal fires, and that never answers, is not waited for', async () => {
    const controller = new AbortController();
    const provider: LLMProvider = {
      name: 'deaf',
      generate: () => {
        controller.abort();
        return new Promise<never>(() => {});
      },
    };
    const result = await createAgent({ provider }).send('Hi', { signal: controller.signal });
    expect(result.finishReason).toBe('aborted');
  }, 2_000);

  it('an answer that comes after the abort is not recorded, and no late text is told', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const answer = deferred<{ text: string }>();
    const provider: LLMProvider = { name: 'late', generate: () => answer.promise };
    const run = createAgent({ provider, store }).stream('Hi', { ...SESSION, signal: controller.signal });
    const events: RunEvent[] = [];
    const reading = (async () => {
      for await (const event of run) events.push(event);
    })();
    await until(() => events.some((event) => event.type === 'step.start'));
    controller.abort();
    await run.result;
    answer.resolve({ text: 'too late' });
    await reading;
    expect(events.some((event) => event.type === 'text.delta' || event.type === 'text.done')).toBe(false);
    expect(roles((await store.inner.load('order-7'))?.messages ?? [])).toBe('user');
  });

  it('a provider that rejects because of the signal makes an aborted run, not a failed one', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const provider = mockModel([{ text: 'slow', delayMs: 60_000 }]);
    const run = createAgent({ provider, store }).send('Hi', { ...SESSION, signal: controller.signal });
    await until(() => provider.calls.length === 1);
    controller.abort(new DOMException('too slow', 'TimeoutError'));
    expect(await run).toMatchObject({
      finishReason: 'aborted',
      abortReason: { name: 'TimeoutError', message: 'too slow' },
    });
    expect((await store.inner.load('order-7'))?.lastError).toBeUndefined();
  });

  it('a custom reason that is no error is told in words', async () => {
    const result = await createAgent({ provider: mockModel([]) }).send('Hi', {
      signal: AbortSignal.abort('the user left'),
    });
    expect(result.abortReason).toEqual({ name: 'AbortError', message: 'the user left' });
  });

  it('between two tools: the first keeps its result, the second gets a cancelled one', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const [a, b] = [countingTool('a', () => void controller.abort()), countingTool('b')];
    const provider = mockModel([calls('a', 'b'), 'ok']);
    const agent = createAgent({ provider, tools: [a, b], store, toolConcurrency: 1 });
    const result = await agent.send('Go', { ...SESSION, signal: controller.signal });
    expect(b.started).toEqual([]);
    expect(transcriptFaults(result.messages)).toEqual([]);
    expect(result.toolCalls.map(({ id, isError }) => [id, isError ?? false])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    await agent.resume('order-7');
    expect([a.started.length, b.started.length]).toEqual([1, 0]);
    expect(transcriptFaults(provider.lastCall?.messages ?? [])).toEqual([]);
  });

  it('a tool that ignores the signal is waited for and keeps its result', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const gate = deferred<string>();
    const a = countingTool('a', () => gate.promise);
    const agent = createAgent({ provider: mockModel([calls('a')]), tools: [a], store });
    const run = agent.send('Go', { ...SESSION, signal: controller.signal });
    let isOver = false;
    void run.then(() => {
      isOver = true;
    });
    await until(() => a.started.length === 1);
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isOver).toBe(false);
    gate.resolve('charged');
    const { finishReason, toolCalls } = await run;
    expect(finishReason).toBe('aborted');
    expect(toolCalls).toMatchObject([{ id: 'a', result: 'charged' }]);
  });

  it('a tool that heeds the signal gets a cancelled result', async () => {
    const controller = new AbortController();
    const a = tool('a', (_, { signal }) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const b = tool('b', () => void controller.abort());
    const agent = createAgent({ provider: mockModel([calls('a', 'b')]), tools: [a, b] });
    const { finishReason, toolCalls, messages } = await agent.send('Go', { signal: controller.signal });
    expect(finishReason).toBe('aborted');
    expect(toolCalls[0]).toMatchObject({ id: 'a', isError: true, result: { kind: 'not-run' } });
    expect(transcriptFaults(messages)).toEqual([]);
  });

  it('a tool that had started and gave up is not said to have had no effect', async () => {
    const controller = new AbortController();
    const a = tool('a', (_, { signal }) => {
      controller.abort();
      signal.throwIfAborted();
    });
    const { toolCalls } = await createAgent({ provider: mockModel([calls('a')]), tools: [a] }).send('Go', {
      signal: controller.signal,
    });
    expect(toolCalls[0]).toMatchObject({
      isError: true,
      result: { kind: 'not-run', message: expect.stringMatching(/may or may not/) },
    });
  });

  it('a pending call of a crashed run that is aborted before it starts again is not said to have had no effect', async () => {
    const store = spyStore();
    let isFirst = true;
    const a = countingTool('a', () => {
      if (!isFirst) return 'a';
      isFirst = false;
      throw new PropagatingToolError('died after charging');
    });
    const agent = createAgent({ provider: mockModel([calls('a')]), tools: [a], store });
    await agent.send('Go', SESSION).catch(() => undefined);
    const { toolCalls } = await agent.send([], { ...SESSION, signal: AbortSignal.abort() });
    expect(toolCalls[0]).toMatchObject({
      isError: true,
      result: { kind: 'not-run', message: expect.stringMatching(/may or may not/) },
    });
  });

  it('results that settled out of order before the abort take their places', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const a = tool('a', (_, { signal }) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const agent = createAgent({ provider: mockModel([calls('a', 'b')]), tools: [a, tool('b')], store });
    const run = agent.send('Go', { ...SESSION, signal: controller.signal });
    await until(() => store.saves.length === 2);
    controller.abort();
    const { messages } = await run;
    expect(roles(messages)).toBe('user assistant(a,b) tool(a) tool(b)');
    expect((await store.inner.load('order-7'))?.settledResults).toBeUndefined();
  });

  it('A64 nothing is saved after an aborted call has resolved', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const answer = deferred<{ text: string }>();
    const provider: LLMProvider = { name: 'late', generate: () => answer.promise };
    const run = createAgent({ provider, store }).send('Hi', { ...SESSION, signal: controller.signal });
    await until(() => store.calls.includes('load'));
    controller.abort();
    await run;
    const before = store.saves.length;
    answer.resolve({ text: 'late' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(store.saves).toHaveLength(before);
  });

  it('an abort after the last save of a run changes nothing', async () => {
    const controller = new AbortController();
    const store = spyStore(undefined, {
      around: async (method, _, next) => {
        const answer = await next();
        if (method === 'saveIfLeased') controller.abort();
        return answer;
      },
    });
    const agent = createAgent({ provider: mockModel(['Done.']), store });
    const { finishReason } = await agent.send('Go', { ...SESSION, signal: controller.signal });
    expect(finishReason).toBe('stop');
    expect((await store.inner.load('order-7'))?.status).toBe('finished');
  });

  it('the signal of one call stays with that call: the next one on the session runs', async () => {
    const store = spyStore();
    const controller = new AbortController();
    const provider = mockModel([{ text: 'slow', delayMs: 60_000 }, 'Hello again.']);
    const agent = createAgent({ provider, store });
    const first = agent.send('Hi', { ...SESSION, signal: controller.signal });
    const second = agent.send('Still there?', SESSION);
    await until(() => provider.calls.length === 1);
    controller.abort();
    expect((await first).finishReason).toBe('aborted');
    expect((await second).text).toBe('Hello again.');
    expect(roles(provider.lastCall?.messages ?? [])).toBe('user user');
  });

  it('a signal that outlives many runs keeps none of their listeners', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const agent = createAgent({
      provider: mockModel([calls('a'), 'ok'], { onExhausted: 'repeat-last' }),
      tools: [tool('a')],
    });
    for (let run = 0; run < 5; run++) await agent.send('Go', { signal });
    expect(listeners).toBe(0);
  });

  it('each model call has a signal of its own: what a client leaves on one does not add up over a run', async () => {
    const signals = new Set<AbortSignal | undefined>();
    const turns = mockModel([calls('a'), calls('b'), calls('c'), 'ok']);
    const provider: LLMProvider = {
      name: 'careless',
      generate: (request) => {
        signals.add(request.signal);
        return turns.generate(request);
      },
    };
    const agent = createAgent({ provider, store: spyStore(), tools: [tool('a'), tool('b'), tool('c')] });
    await agent.send('Go', SESSION);
    expect(signals.size).toBe(4);
  });

  it('what is no abort signal is refused', async () => {
    const provider = mockModel(['ok']);
    const signal = { aborted: false } as AbortSignal;
    expect(await codeOf(createAgent({ provider }).send('Hi', { signal }))).toBe('LOUSHO_CONFIG_INVALID');
    expect(provider.calls).toHaveLength(0);
  });
});
