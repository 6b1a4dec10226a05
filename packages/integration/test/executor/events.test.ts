import { type AgentRun, createAgent, defineTool, type LLMProvider, type RunEvent } from '@lousho/core';
import { mockModel, virtualTimers } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { codeOf, rejection } from '../support/rejections.js';
import { deferred, settled, until } from './support/deferred.js';
import { spyStore } from './support/spy-store.js';
import { calls, countingTool, tool } from './support/tools.js';

const SESSION = { sessionId: 'order-7' };

async function eventsOf(run: AgentRun): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

const types = (events: readonly RunEvent[]) => events.map((event) => event.type);

function expectWellFramed(run: AgentRun, events: readonly RunEvent[]): void {
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index));
  expect(types(events).filter((type) => type === 'run.start')).toHaveLength(1);
  expect(types(events).filter((type) => type === 'run.done')).toHaveLength(1);
  expect(events[0]?.type).toBe('run.start');
  expect(events.at(-1)?.type).toBe('run.done');
  for (const event of events) {
    expect(event).toMatchObject({ runId: run.runId, v: 1 });
    expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp);
    expect(JSON.parse(JSON.stringify(event))).toStrictEqual(event);
  }
}

describe('the events of a run', () => {
  it('tell a run with tools from start to end', async () => {
    const provider = mockModel([
      { text: 'Let me see', ...calls('a', 'b'), usage: { inputTokens: 3, outputTokens: 1 } },
      'All good.',
    ]);
    const tools = ['a', 'b'].map((name) => tool(name, settled));
    const agent = createAgent({ provider, tools, name: 'helper', id: 'h1', store: spyStore() });
    const run = agent.stream('Go', SESSION);
    const events = await eventsOf(run);
    expectWellFramed(run, events);
    expect(types(events)).toEqual([
      'run.start',
      'step.start',
      'text.delta',
      'text.delta',
      'text.delta',
      'text.done',
      'tool.start',
      'tool.start',
      'tool.done',
      'tool.done',
      'step.done',
      'step.start',
      'text.delta',
      'text.delta',
      'text.done',
      'step.done',
      'run.done',
    ]);
    expect(events[0]).toMatchObject({ agentName: 'helper', agentId: 'h1' });
    expect(events.at(-1)).toMatchObject({ finishReason: 'stop', text: 'All good.' });
    const result = await run.result;
    expect(result.text).toBe('All good.');
    expect(result.runId).toBe(run.runId);
  });

  it('tool.start comes in call order, tool.done as the calls settle', async () => {
    const gate = deferred<string>();
    const b = countingTool('b');
    const agent = createAgent({
      provider: mockModel([calls('a', 'b'), 'ok']),
      tools: [tool('a', () => gate.promise), b],
    });
    const run = agent.stream('Go');
    const reading = eventsOf(run);
    await until(() => b.started.length === 1);
    await settled();
    gate.resolve('a');
    const told = (await reading).flatMap((event) =>
      event.type === 'tool.start' || event.type === 'tool.done' ? [`${event.type} ${event.toolCallId}`] : [],
    );
    expect(told).toEqual(['tool.start a', 'tool.start b', 'tool.done b', 'tool.done a']);
  });

  it('a tool that takes 40 ms of the run’s clock is told so', async () => {
    const timers = virtualTimers();
    const a = tool('a', () => timers.advance(40));
    const run = createAgent({
      provider: mockModel([calls('a'), 'ok']),
      tools: [a],
      ports: { timers },
    }).stream('Go');
    const done = (await eventsOf(run)).find((event) => event.type === 'tool.done');
    expect(done).toMatchObject({ durationMs: 40, result: null });
  });

  it('a failing tool is a tool.error, and the run goes on', async () => {
    const a = tool('a', () => {
      throw new RangeError('out of stock');
    });
    const run = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [a] }).stream('Go');
    const events = await eventsOf(run);
    expectWellFramed(run, events);
    expect(events.find((event) => event.type === 'tool.error')).toMatchObject({
      toolCallId: 'a',
      toolName: 'a',
      error: { name: 'RangeError', message: 'out of stock' },
    });
  });

  it.each([
    ['bytes', () => new Uint8Array([1, 2, 3])],
    ['undefined', () => undefined],
    ['a value that looks like bytes', () => ({ $bytes: 'AQ==' })],
  ])('of a tool that returns %s survive JSON', async (_, execute) => {
    const run = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [tool('a', execute)] }).stream(
      'Go',
    );
    expectWellFramed(run, await eventsOf(run));
  });

  it('of a tool whose schema makes a Date or leaves out a field survive JSON', async () => {
    const book = defineTool({
      name: 'book',
      description: '',
      input: z.object({ at: z.string().transform((text) => new Date(text)), note: z.string().optional() }),
      inputJsonSchema: { type: 'object' },
      execute: ({ at }) => at.toISOString(),
    });
    const turn = { toolCalls: [{ name: 'book', id: 'b1', args: { at: '2026-01-01T00:00:00.000Z' } }] };
    const run = createAgent({ provider: mockModel([turn, 'ok']), tools: [book] }).stream('Go');
    expectWellFramed(run, await eventsOf(run));
    expect((await run.result).toolCalls[0]?.result).toBe('2026-01-01T00:00:00.000Z');
  });

  it('a failing run ends with error and run.done, and its result rejects', async () => {
    const provider = mockModel([{ error: Object.assign(new Error('bad key'), { status: 401 }) }]);
    const run = createAgent({ provider, store: spyStore() }).stream('Go', SESSION);
    const events = await eventsOf(run);
    expectWellFramed(run, events);
    expect(types(events).slice(-2)).toEqual(['error', 'run.done']);
    expect(events.at(-2)).toMatchObject({ error: { code: 'LOUSHO_PROVIDER_REQUEST_FAILED' } });
    expect(events.at(-1)).toMatchObject({ finishReason: 'error' });
    expect(await codeOf(run.result)).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
  });

  it('an aborted run ends with run.done, aborted', async () => {
    const run = createAgent({ provider: mockModel([]) }).stream('Go', { signal: AbortSignal.abort() });
    const events = await eventsOf(run);
    expectWellFramed(run, events);
    expect(events.at(-1)).toMatchObject({ type: 'run.done', finishReason: 'aborted' });
  });

  it('a resumed run tells that it is one, and of the pending calls only', async () => {
    const store = spyStore();
    let isFirst = true;
    const b = tool('b', () => {
      if (!isFirst) return 'b';
      isFirst = false;
      throw Object.assign(new Error('died'), { name: 'PropagatingToolError' });
    });
    const agent = createAgent({ provider: mockModel([calls('a', 'b'), 'ok']), tools: [tool('a'), b], store });
    await rejection(agent.send('Go', SESSION));
    const run = agent.stream([], SESSION);
    const events = await eventsOf(run);
    expectWellFramed(run, events);
    expect(events[0]).toMatchObject({ type: 'run.start', resumed: true });
    expect(events.flatMap((event) => (event.type === 'tool.start' ? [event.toolCallId] : []))).toEqual(['b']);
  });

  it.each([
    ['[] on an unknown id', [], 'nobody'],
    ['[] on a finished run', [], 'order-7'],
  ] as const)('%s: the frame is there', async (_, input, sessionId) => {
    const agent = createAgent({ provider: mockModel(['ok']), store: spyStore() });
    await agent.send('Go', SESSION);
    const run = agent.stream(input, { sessionId });
    expectWellFramed(run, await eventsOf(run));
  });

  it('a busy session: the frame is there, with the error', async () => {
    const store = spyStore();
    await store.inner.acquireLease?.('order-7', 'somebody', 30_000);
    const run = createAgent({ provider: mockModel([]), store }).stream('Go', SESSION);
    const events = await eventsOf(run);
    expectWellFramed(run, events);
    expect(events.at(-2)).toMatchObject({ type: 'error', error: { code: 'LOUSHO_SESSION_BUSY' } });
  });

  it('run.done comes after the last save', async () => {
    const store = spyStore();
    const run = createAgent({ provider: mockModel(['ok']), store }).stream('Go', SESSION);
    let status: string | undefined;
    for await (const event of run) {
      if (event.type === 'run.done') status = (await store.inner.load('order-7'))?.status;
    }
    expect(status).toBe('finished');
  });
});

describe('an AgentRun as an iterable', () => {
  it('is one once: a second loop is refused and the first goes on', async () => {
    const run = createAgent({ provider: mockModel(['one two']) }).stream('Go');
    const events = await eventsOf(run);
    expect(await codeOf(eventsOf(run))).toBe('LOUSHO_RUN_ALREADY_ITERATED');
    expect(events.at(-1)?.type).toBe('run.done');
  });

  it('leaving the loop early does not stop the run', async () => {
    const run = createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [tool('a')] }).stream('Go');
    for await (const event of run) if (event.type === 'step.start') break;
    expect((await run.result).text).toBe('ok');
  });

  it('nobody needs to read the events', async () => {
    const run = createAgent({ provider: mockModel(['ok']) }).stream('Go');
    expect((await run.result).text).toBe('ok');
  });

  it('a loop that starts after the run has ended still sees every event', async () => {
    const run = createAgent({ provider: mockModel(['ok']) }).stream('Go');
    await run.result;
    const events = await eventsOf(run);
    expectWellFramed(run, events);
  });

  it('a result that nobody awaits is no unhandled rejection', async () => {
    const seen: unknown[] = [];
    const listen = (reason: unknown) => seen.push(reason);
    process.on('unhandledRejection', listen);
    createAgent({ provider: mockModel([{ error: new Error('no') }]) }).stream('Go');
    await settled();
    await settled();
    process.off('unhandledRejection', listen);
    expect(seen).toEqual([]);
  });

  it('leaving while the next event is awaited ends that wait', async () => {
    const gate = deferred<{ text: string }>();
    const provider: LLMProvider = { name: 'slow', generate: () => gate.promise };
    const run = createAgent({ provider }).stream('Go');
    const events = run[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ type: 'run.start' });
    expect((await events.next()).value).toMatchObject({ type: 'step.start' });
    const waiting = events.next();
    await events.return?.();
    expect((await waiting).done).toBe(true);
    expect((await events.next()).done).toBe(true);
    gate.resolve({ text: 'ok' });
    await run.result;
  }, 2_000);

  it('two waits at a time get one event each, in order', async () => {
    const gate = deferred<{ text: string }>();
    const provider: LLMProvider = { name: 'slow', generate: () => gate.promise };
    const run = createAgent({ provider }).stream('Go');
    const events = run[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    const waiting = [events.next(), events.next()];
    gate.resolve({ text: 'ok' });
    expect((await Promise.all(waiting)).map(({ value }) => value?.seq)).toEqual([2, 3]);
    await run.result;
  }, 2_000);
});

describe('streaming model calls', () => {
  it('stream() and send() come to the same result', async () => {
    const script = () =>
      mockModel([
        { text: 'Let me  look.\n', ...calls('a'), usage: { inputTokens: 3, outputTokens: 4 } },
        { text: 'All good.', finishReason: 'length' },
      ]);
    const ids = () => {
      let n = 0;
      return { next: () => `id-${++n}` };
    };
    const options = () => ({ provider: script(), tools: [tool('a')], ports: { ids: ids() } });
    const sent = await createAgent(options()).send('Go');
    const streamed = await createAgent(options()).stream('Go').result;
    expect(streamed).toEqual(sent);
    expect(sent.finishReason).toBe('length');
  });

  it('the deltas make up the text', async () => {
    const run = createAgent({ provider: mockModel(['One two  three.']) }).stream('Go');
    const deltas = (await eventsOf(run)).flatMap((event) =>
      event.type === 'text.delta' ? [event.delta] : [],
    );
    expect(deltas.join('')).toBe('One two  three.');
    expect(deltas.length).toBeGreaterThan(1);
  });

  it('a provider without stream() is asked once and its text told whole', async () => {
    const provider: LLMProvider = { name: 'plain', generate: async () => ({ text: 'Hello there.' }) };
    const run = createAgent({ provider }).stream('Go');
    expect(types(await eventsOf(run))).toEqual([
      'run.start',
      'step.start',
      'text.delta',
      'text.done',
      'step.done',
      'run.done',
    ]);
  });

  it('a stream that ends without a finish part fails the run, and nothing of it is kept', async () => {
    const store = spyStore();
    const provider: LLMProvider = {
      ...mockModel([]),
      stream: async function* () {
        yield { type: 'text-delta', delta: 'Hel' };
      },
    };
    const run = createAgent({ provider, store }).stream('Go', SESSION);
    expect(await codeOf(run.result)).toBe('LOUSHO_PROVIDER_RESPONSE_INVALID');
    expect((await store.inner.load('order-7'))?.messages).toEqual([{ role: 'user', content: 'Go' }]);
  });

  it('a stream that breaks off fails the run as a provider’s failure', async () => {
    const provider: LLMProvider = {
      ...mockModel([]),
      stream: async function* () {
        yield { type: 'text-delta', delta: 'Hel' };
        throw new Error('ECONNRESET');
      },
    };
    expect(await codeOf(createAgent({ provider }).stream('Go').result)).toBe(
      'LOUSHO_PROVIDER_REQUEST_FAILED',
    );
  });

  it('an abort in the middle of a stream ends the text there', async () => {
    const controller = new AbortController();
    const gate = deferred();
    const provider: LLMProvider = {
      ...mockModel([]),
      stream: async function* () {
        yield { type: 'text-delta', delta: 'one ' };
        await gate.promise;
        yield { type: 'text-delta', delta: 'two' };
        yield { type: 'finish', response: { text: 'one two' } };
      },
    };
    const run = createAgent({ provider }).stream('Go', { signal: controller.signal });
    const events: RunEvent[] = [];
    const reading = (async () => {
      for await (const event of run) {
        events.push(event);
        if (event.type === 'text.delta') controller.abort();
      }
    })();
    const { finishReason } = await run.result;
    gate.resolve();
    await reading;
    await settled();
    expect(finishReason).toBe('aborted');
    expect(events.flatMap((event) => (event.type === 'text.delta' ? [event.delta] : []))).toEqual(['one ']);
  });
});
