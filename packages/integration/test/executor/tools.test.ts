import { createAgent, defineTool, PropagatingToolError, type Tool } from '@lousho/core';
import { mockModel, transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rejection } from '../support/rejections.js';
import { deferred, settled, until } from './support/deferred.js';
import { outline, spyStore } from './support/spy-store.js';
import { calls, countingTool, tool } from './support/tools.js';
import { isWellFormed } from './support/well-formed.js';

const SESSION = { sessionId: 'order-7' };

/** What the model is told of one call of the tool. */
async function resultOf(execute: () => unknown, args: unknown = {}) {
  const provider = mockModel([{ toolCalls: [{ name: 'a', id: 'a', args }] }, 'ok']);
  const result = await createAgent({ provider, tools: [tool('a', execute)], store: spyStore() }).send(
    'Go',
    SESSION,
  );
  const message = provider.lastCall?.messages.at(-1);
  return { message, content: message?.content as string, call: result.toolCalls[0] };
}

describe('tool results', () => {
  it.each([
    ['undefined', undefined, 'null'],
    ['null', null, 'null'],
    ['a string', 'x', '"x"'],
    ['zero', 0, '0'],
    ['an object', { a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
    ['an undefined property', { a: 1, b: undefined }, '{"a":1}'],
    ['bytes', new Uint8Array([1, 2, 3]), '{"$bytes":"AQID"}'],
    ['the empty string', '', '""'],
  ])('A24 %s is recorded', async (_, value, content) => {
    const { message } = await resultOf(() => value);
    expect(message).toEqual({ role: 'tool', toolCallId: 'a', toolName: 'a', content });
  });

  it('A24 undefined counts as recorded: the call does not run again', async () => {
    const store = spyStore();
    const a = countingTool('a', () => undefined);
    let isFirst = true;
    const b = tool('b', () => {
      if (!isFirst) return 'b';
      isFirst = false;
      throw new PropagatingToolError('died');
    });
    const agent = createAgent({ provider: mockModel([calls('a', 'b'), 'ok']), tools: [a, b], store });
    await rejection(agent.send('Go', SESSION));
    await agent.resume('order-7');
    expect(a.started).toEqual(['a']);
  });

  it('bytes come back as bytes in the result of the run', async () => {
    const { call } = await resultOf(() => ({ file: new Uint8Array([1, 2]) }));
    expect(call?.result).toEqual({ file: new Uint8Array([1, 2]) });
  });

  it.each([
    ['BigInt', () => 10n],
    ['a Map', () => new Map()],
    ['a Date', () => new Date()],
    ['NaN', () => Number.NaN],
    [
      'a cycle',
      () => {
        const value: Record<string, unknown> = {};
        value.self = value;
        return value;
      },
    ],
  ])('A72 %s cannot be stored: the model gets an error result, the run goes on', async (_, execute) => {
    const { message, call } = await resultOf(execute);
    expect(message?.isError).toBe(true);
    expect(call?.result).toMatchObject({ kind: 'execution', toolName: 'a' });
  });

  it('a synchronous throw and a rejection are told alike', async () => {
    const thrown = await resultOf(() => {
      throw new RangeError('out of stock');
    });
    const rejected = await resultOf(async () => {
      throw new RangeError('out of stock');
    });
    expect(thrown.message).toEqual(rejected.message);
    expect(JSON.parse(thrown.content)).toEqual({
      error: 'RangeError',
      toolName: 'a',
      message: 'out of stock',
      kind: 'execution',
    });
  });

  it('J9 an error of 5,000 characters is cut to 2,000, marked, without its stack', async () => {
    const { content } = await resultOf(() => {
      throw new Error('x'.repeat(5_000));
    });
    const { message } = JSON.parse(content) as { message: string };
    expect(message.length).toBeLessThanOrEqual(2_000);
    expect(message.length).toBeGreaterThan(1_900);
    expect(message).toMatch(/truncated/);
    expect(content).not.toMatch(/at .*\.(ts|js)/);
  });

  it('J9 a message of exactly 2,000 characters is kept whole', async () => {
    const { content } = await resultOf(() => {
      throw new Error('x'.repeat(2_000));
    });
    expect(JSON.parse(content).message).toBe('x'.repeat(2_000));
  });

  it.each([0, 1])(
    'A69 an error cut in the middle of an emoji stays well-formed (offset %i)',
    async (offset) => {
      const { content } = await resultOf(() => {
        throw new Error('y'.repeat(offset) + '😀'.repeat(2_500));
      });
      const { message } = JSON.parse(content) as { message: string };
      expect(isWellFormed(message)).toBe(true);
      expect(message.length).toBeLessThanOrEqual(2_000);
    },
  );

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'plain'],
    ['a symbol', Symbol('odd')],
    ['an object without a prototype', Object.create(null)],
    ['an error whose message is a number', Object.assign(new Error(), { message: 42 })],
    ['an error whose name is an object', Object.assign(new Error('odd'), { name: {} })],
  ])('a tool that throws %s gets an error result; the run goes on', async (_, value) => {
    const { message } = await resultOf(() => {
      throw value;
    });
    expect(message?.isError).toBe(true);
    expect(JSON.parse(message?.content as string)).toMatchObject({ kind: 'execution', toolName: 'a' });
  });

  it('I11 a tool that fails leaves its sibling alone', async () => {
    const store = spyStore();
    const a = tool('a', () => {
      throw new Error('no');
    });
    const agent = createAgent({ provider: mockModel([calls('a', 'b'), 'ok']), tools: [a, tool('b')], store });
    const { toolCalls, finishReason } = await agent.send('Go', SESSION);
    expect(finishReason).toBe('stop');
    expect(toolCalls.map((call) => call.isError ?? false)).toEqual([true, false]);
  });

  it('J10 an unknown tool is told to the model, with the tools that there are', async () => {
    const provider = mockModel([calls('ghost'), 'ok']);
    const result = await createAgent({ provider, tools: [tool('a'), tool('b')] }).send('Go');
    expect(result.finishReason).toBe('stop');
    expect(result.toolCalls[0]).toMatchObject({
      isError: true,
      result: { kind: 'not-found', toolName: 'ghost' },
    });
    expect(result.toolCalls[0]?.result).toMatchObject({ message: expect.stringMatching(/a, b/) });
  });
});

it.each(['constructor', 'toString', '__proto__'])(
  'J10 a model that calls %s calls an unknown tool',
  async (name) => {
    const provider = mockModel([{ toolCalls: [{ name }] }, 'ok']);
    const { toolCalls } = await createAgent({ provider, tools: [tool('a')] }).send('Go');
    expect(toolCalls[0]).toMatchObject({ name, isError: true, result: { kind: 'not-found' } });
  },
);

describe('arguments', () => {
  const amount = (execute: (args: { amount: number }) => unknown): Tool =>
    defineTool({ name: 'charge', description: 'Charge', input: z.object({ amount: z.number() }), execute });

  async function callWith(raw: unknown, charge: Tool) {
    const provider = {
      ...mockModel([]),
      generate: async ({ messages }: { messages: readonly { role: string }[] }) =>
        messages.at(-1)?.role === 'tool'
          ? { text: 'ok' }
          : {
              toolCalls: [
                {
                  id: 'c1',
                  type: 'function' as const,
                  function: { name: 'charge', arguments: raw as string },
                },
              ],
            },
    };
    return createAgent({ provider, tools: [charge], store: spyStore() }).send('Go', SESSION);
  }

  it.each([
    ['not JSON', '{"amount": 5'],
    ['a number', '5'],
    ['null', 'null'],
    ['the wrong type', '{"amount":"5"}'],
    ['a missing field', '{}'],
    ['nothing at all', ''],
  ])('%s: the tool does not run and the model is told what is wrong', async (_, raw) => {
    const ran: unknown[] = [];
    const { toolCalls, messages } = await callWith(
      raw,
      amount((args) => ran.push(args)),
    );
    expect(ran).toEqual([]);
    expect(toolCalls[0]).toMatchObject({
      isError: true,
      result: { kind: 'validation', toolName: 'charge', issues: expect.any(Array) },
    });
    expect(messages[1]?.toolCalls?.[0]?.function.arguments).toBe(raw);
  });

  it('the empty text is no arguments, for a tool that needs none', async () => {
    const ran: unknown[] = [];
    const ping = defineTool({
      name: 'charge',
      description: '',
      input: z.object({}),
      execute: (args) => void ran.push(args),
    });
    await callWith('', ping);
    expect(ran).toEqual([{}]);
  });

  it('a tool without `input` takes none, whatever the model sends along', async () => {
    const seen: unknown[] = [];
    const now = defineTool({ name: 'now', description: 'The time.', execute: (args) => seen.push(args) });
    const provider = mockModel([{ toolCalls: [{ name: 'now', args: { zone: 'UTC' } }] }, 'ok']);
    await createAgent({ provider, tools: [now] }).send('Go');
    expect(seen).toEqual([{}]);
    expect(provider.calls[0]?.tools?.[0]?.inputSchema).toEqual({ type: 'object', properties: {} });
  });

  it.each([
    ['that is undefined', { input: undefined }],
    ['that is none, beside a JSON Schema', { inputJsonSchema: { type: 'object' } }],
  ])('an `input` %s is refused: somebody meant to say more', (_, wrong) => {
    const definition = { name: 'now', description: 'The time.', execute: () => 0, ...wrong };
    expect(() => defineTool(definition as never)).toThrow(/Expected `now.input` to be a Standard Schema/);
  });

  it('arguments that come as an object are taken as their JSON', async () => {
    const ran: unknown[] = [];
    await callWith(
      { amount: 5 },
      amount((args) => void ran.push(args)),
    );
    expect(ran).toEqual([{ amount: 5 }]);
  });

  it('the tool sees what the schema made of them', async () => {
    const ran: unknown[] = [];
    const charge = defineTool({
      name: 'charge',
      description: '',
      input: z.object({ amount: z.number().default(3), note: z.string().trim().optional() }),
      execute: (args) => void ran.push(args),
    });
    await callWith('{"note":" hi ","extra":1}', charge);
    expect(ran).toEqual([{ amount: 3, note: 'hi' }]);
  });

  it('an asynchronous schema is waited for', async () => {
    const ran: unknown[] = [];
    const charge = defineTool({
      name: 'charge',
      description: '',
      input: z.object({ amount: z.number().refine(async (value) => value < 10) }),
      execute: (args) => void ran.push(args),
    });
    await callWith('{"amount":50}', charge);
    expect(ran).toEqual([]);
  });

  it('3.24 a schema that throws does not reject the run', async () => {
    const charge = defineTool({
      name: 'charge',
      description: '',
      input: z.object({
        amount: z.number().refine(() => {
          throw new Error('look-up failed');
        }),
      }),
      execute: () => 'never',
    });
    const { finishReason, toolCalls } = await callWith('{"amount":5}', charge);
    expect(finishReason).toBe('stop');
    expect(toolCalls[0]?.isError).toBe(true);
  });
});

describe('PropagatingToolError', () => {
  it('rejects the run with that very error; running siblings are waited for and recorded, waiting ones never start', async () => {
    const store = spyStore();
    const gate = deferred<string>();
    const death = new PropagatingToolError('stop everything');
    const a = countingTool('a', () => gate.promise);
    const b = countingTool('b', () => {
      throw death;
    });
    const c = countingTool('c');
    const agent = createAgent({
      provider: mockModel([calls('a', 'b', 'c')]),
      tools: [a, b, c],
      toolConcurrency: 2,
      store,
    });
    const run = agent.send('Go', SESSION);
    let isOver = false;
    void run.catch(() => {
      isOver = true;
    });
    await until(() => b.started.length === 1);
    await settled();
    expect(isOver).toBe(false);
    gate.resolve('a done');
    expect(await rejection(run)).toBe(death);
    expect(c.started).toEqual([]);
    expect((await store.inner.load('order-7'))?.status).toBe('in-progress');
    expect(outline(store.saves.at(-1) as never)).toBe('in-progress | user assistant(a,b,c) tool(a)');
  });

  it('I8 with the earliest call failing, its settled sibling is kept apart and not run again', async () => {
    const store = spyStore();
    let isFirst = true;
    const a = countingTool('a', async () => {
      if (!isFirst) return 'a';
      isFirst = false;
      await settled();
      throw new PropagatingToolError('died');
    });
    const b = countingTool('b');
    const agent = createAgent({ provider: mockModel([calls('a', 'b'), 'ok']), tools: [a, b], store });
    await rejection(agent.send('Go', SESSION));
    expect((await store.inner.load('order-7'))?.settledResults).toHaveLength(1);
    const result = await agent.resume('order-7');
    expect([a.started.length, b.started.length]).toEqual([2, 1]);
    expect(transcriptFaults(result?.messages ?? [])).toEqual([]);
  });

  it('of two such errors the first rejects the run', async () => {
    const [one, two] = [new PropagatingToolError('one'), new PropagatingToolError('two')];
    const a = tool('a', async () => {
      await settled();
      throw two;
    });
    const b = tool('b', () => {
      throw one;
    });
    const agent = createAgent({ provider: mockModel([calls('a', 'b')]), tools: [a, b] });
    expect(await rejection(agent.send('Go'))).toBe(one);
  });

  it('is recorded as retryable: recovery tries the run again', async () => {
    const store = spyStore();
    const a = tool('a', () => {
      throw new PropagatingToolError('try me again');
    });
    const agent = createAgent({ provider: mockModel([calls('a')]), tools: [a], store });
    await rejection(agent.send('Go', SESSION));
    expect((await agent.pending())[0]).toMatchObject({
      attempts: 1,
      lastError: { message: 'try me again', retryable: true },
    });
  });
});

describe('toolConcurrency', () => {
  async function inFlight(toolConcurrency: number | 'unbounded' | undefined) {
    const store = spyStore();
    const names = ['a', 'b', 'c', 'd'];
    let [running, most] = [0, 0];
    const started: string[] = [];
    const tools = names.map((name) =>
      tool(name, async () => {
        started.push(name);
        most = Math.max(most, ++running);
        await settled();
        running -= 1;
        return name;
      }),
    );
    const provider = mockModel([calls(...names), 'ok']);
    const agent = createAgent({
      provider,
      tools,
      store,
      ...(toolConcurrency !== undefined && { toolConcurrency }),
    });
    const { toolCalls } = await agent.send('Go', SESSION);
    expect(toolCalls.map(({ result }) => result)).toEqual(names);
    expect(started).toEqual(names);
    return most;
  }

  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    ['unbounded' as const, 4],
    [undefined, 4],
  ])(
    'I7 %s of four calls: at most %i run at once, started and recorded in call order',
    async (limit, most) => {
      expect(await inFlight(limit)).toBe(most);
    },
  );

  it('a waiting call takes the place only after the result before it is durable', async () => {
    const order: string[] = [];
    const store = spyStore(undefined, {
      around: async (method, _, next) => {
        const answer = await next();
        if (method === 'saveIfLeased') order.push('saved');
        return answer;
      },
    });
    const tools = ['a', 'b'].map((name) => tool(name, () => order.push(name)));
    await createAgent({
      provider: mockModel([calls('a', 'b'), 'ok']),
      tools,
      toolConcurrency: 1,
      store,
    }).send('Go', SESSION);
    expect(order).toEqual(['saved', 'a', 'saved', 'b', 'saved', 'saved']);
  });
});

describe('call ids', () => {
  it('A17 an id used twice in one turn: each call has exactly one result of its own', async () => {
    const store = spyStore();
    const seen: unknown[] = [];
    const a = tool('a', (args, { toolCallId }) => {
      seen.push(toolCallId);
      return args;
    });
    const turn = [1, 2, 3].map((n) => ({ name: 'a', id: 'same', args: { n } }));
    const provider = mockModel([{ toolCalls: turn }, 'ok']);
    const { toolCalls, messages } = await createAgent({ provider, tools: [a], store }).send('Go', SESSION);
    expect(new Set(seen).size).toBe(3);
    expect(seen[0]).toBe('same');
    expect(toolCalls.map((call) => (call.result as { n: number }).n)).toEqual([1, 2, 3]);
    expect(transcriptFaults(messages)).toEqual([]);
    expect(transcriptFaults(provider.lastCall?.messages ?? [])).toEqual([]);
  });

  it('A17 a suffix that is taken already is not used twice', async () => {
    const ids = ['x', 'x_2', 'x', 'x_2', 'x'];
    const provider = mockModel([{ toolCalls: ids.map((id) => ({ name: 'a', id })) }, 'ok']);
    const { toolCalls } = await createAgent({ provider, tools: [tool('a')] }).send('Go');
    expect(new Set(toolCalls.map((call) => call.id)).size).toBe(5);
  });

  it('A68 an id used again in later turns: each call runs and has its own result', async () => {
    const store = spyStore();
    let n = 0;
    const a = countingTool('a', () => ++n);
    const turn = { toolCalls: [{ name: 'a', id: 'call_0' }] };
    const agent = createAgent({
      provider: mockModel([turn, turn, turn, 'ok', turn, 'ok']),
      tools: [a],
      store,
    });
    const first = await agent.send('Go', SESSION);
    expect(first.toolCalls.map((call) => call.result)).toEqual([1, 2, 3]);
    const second = await agent.send('More', SESSION);
    expect(second.toolCalls.map((call) => call.result)).toEqual([4]);
    expect(a.started).toHaveLength(4);
  });

  it('A68 an id used again, and a crash in the second turn: that call runs again, the first does not', async () => {
    const store = spyStore();
    let n = 0;
    const a = countingTool('a', () => {
      if (++n === 2) throw new PropagatingToolError('died');
      return n;
    });
    const turn = { toolCalls: [{ name: 'a', id: 'call_0' }] };
    const agent = createAgent({ provider: mockModel([turn, turn, 'ok']), tools: [a], store });
    await rejection(agent.send('Go', SESSION));
    const result = await agent.resume('order-7');
    expect(result?.toolCalls.map((call) => call.result)).toEqual([1, 3]);
    expect(n).toBe(3);
  });

  it('a call without an id gets one, and keeps it when it runs again', async () => {
    const store = spyStore();
    let isFirst = true;
    const a = countingTool('a', () => {
      if (!isFirst) return 'ok';
      isFirst = false;
      throw new PropagatingToolError('died');
    });
    const agent = createAgent({
      provider: mockModel([{ toolCalls: [{ name: 'a', id: '' }] }, 'ok']),
      tools: [a],
      store,
    });
    await rejection(agent.send('Go', SESSION));
    await agent.resume('order-7');
    expect(a.started[0]).not.toBe('');
    expect(a.started[1]).toBe(a.started[0]);
  });
});

describe('what a tool is told', () => {
  it('its call, its run, its step, the transcript with its turn, and a fencing token', async () => {
    const store = spyStore();
    const seen: unknown[] = [];
    const a = tool('a', (_, context) => {
      const { signal, messages, step, ...rest } = context;
      expect(step).toBeTypeOf('function');
      seen.push({ ...rest, isAborted: signal.aborted, last: messages.at(-1)?.role });
    });
    const { runId } = await createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [a], store }).send(
      'Go',
      SESSION,
    );
    expect(seen).toEqual([
      {
        toolName: 'a',
        toolCallId: 'a',
        runId,
        sessionId: 'order-7',
        stepIndex: 1,
        fencingToken: expect.any(Number),
        isAborted: false,
        last: 'assistant',
      },
    ]);
  });

  it('without a session there is no fencing token', async () => {
    const seen: unknown[] = [];
    const a = tool('a', (_, context) => void seen.push('fencingToken' in context, 'sessionId' in context));
    await createAgent({ provider: mockModel([calls('a'), 'ok']), tools: [a] }).send('Go');
    expect(seen).toEqual([false, false]);
  });
});
