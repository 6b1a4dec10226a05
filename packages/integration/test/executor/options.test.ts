import {
  AgentExecutor,
  type CreateAgentOptions,
  createAgent,
  type ExecuteOptions,
  ToolRegistry,
} from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { codeOf, rejection } from '../support/rejections.js';
import { deferred, settled, until } from './support/deferred.js';
import { spyStore } from './support/spy-store.js';
import { viewOf } from './support/store-view.js';
import { calls, countingTool, tool } from './support/tools.js';

const codeOfThrow = (work: () => unknown) => codeOf((async () => work())());
const create = (options: object) =>
  createAgent({ provider: mockModel(['ok']), ...options } as CreateAgentOptions);

describe('createAgent()', () => {
  it.each([
    ['no provider', { provider: undefined }, 'LOUSHO_CONFIG_MISSING_PROVIDER'],
    ['a provider that cannot generate', { provider: { name: 'x' } }, 'LOUSHO_CONFIG_INVALID'],
    ['instructions and prompt', { instructions: 'a', prompt: 'b' }, 'LOUSHO_CONFIG_CONFLICTING_OPTIONS'],
    ['a misspelt option', { toolConcurency: 2 }, 'LOUSHO_CONFIG_INVALID'],
    ['toolConcurrency 0', { toolConcurrency: 0 }, 'LOUSHO_CONFIG_INVALID'],
    ['toolConcurrency -1', { toolConcurrency: -1 }, 'LOUSHO_CONFIG_INVALID'],
    ['toolConcurrency 1.5', { toolConcurrency: 1.5 }, 'LOUSHO_CONFIG_INVALID'],
    ['toolConcurrency NaN', { toolConcurrency: Number.NaN }, 'LOUSHO_CONFIG_INVALID'],
    ['toolConcurrency "all"', { toolConcurrency: 'all' }, 'LOUSHO_CONFIG_INVALID'],
    ['maxSteps 0', { maxSteps: 0 }, 'LOUSHO_CONFIG_INVALID'],
    ['maxSteps 2.5', { maxSteps: 2.5 }, 'LOUSHO_CONFIG_INVALID'],
    ['a lease of 0 ms', { lease: { ttlMs: 0 } }, 'LOUSHO_CONFIG_INVALID'],
    ['a renewal as rare as the ttl', { lease: { ttlMs: 10, renewEveryMs: 10 } }, 'LOUSHO_CONFIG_INVALID'],
    ['two tools of one name', { tools: [tool('a'), tool('a')] }, 'LOUSHO_TOOL_DUPLICATE'],
    ['something that is no tool', { tools: [{ name: 'a' }] }, 'LOUSHO_CONFIG_INVALID'],
    ['a store that is none', { store: { checkpoints: { save: () => {} } } }, 'LOUSHO_CONFIG_INVALID'],
  ])('refuses %s at once', async (_, options, code) => {
    expect(await codeOfThrow(() => create(options))).toBe(code);
  });
});

describe('send(), stream(), resume()', () => {
  const IDS: [string, unknown][] = [
    ['the empty id', ''],
    ['a path', '../evil'],
    ['a slash', 'a/b'],
    ['a dot in front', '.a'],
    ['a dot at the end', 'a.'],
    ['201 characters', 'x'.repeat(201)],
    ['a turn key', 'a.turn-3'],
    ['a pause key', 'a.paused'],
    ['a fire key', 'a.fire'],
    ['a number', 7],
    ['null', null],
    ['a space', 'a b'],
    ['an umlaut', 'ä'],
  ];

  it.each(IDS)('F3 refuse %s before anything is written or asked', async (_, id) => {
    const store = spyStore();
    const provider = mockModel(['ok']);
    const agent = createAgent({ provider, store });
    const sessionId = id as string;
    expect(await codeOf(agent.send('Hi', { sessionId }))).toBe('LOUSHO_SESSION_ID_INVALID');
    expect(await codeOf(agent.resume(sessionId))).toBe('LOUSHO_SESSION_ID_INVALID');
    expect(await codeOfThrow(() => agent.stream('Hi', { sessionId }))).toBe('LOUSHO_SESSION_ID_INVALID');
    expect(store.calls).toEqual([]);
    expect(provider.calls).toEqual([]);
  });

  it.each(['x'.repeat(200), 'A-b_c.1', 'x.turn', 'con', 'a.turn-3x', '__proto__', 'constructor'])(
    'F3 take %s',
    async (sessionId) => {
      const agent = createAgent({ provider: mockModel(['ok']), store: memoryStore() });
      expect((await agent.send('Hi', { sessionId })).text).toBe('ok');
    },
  );

  it.each([
    ['no input', undefined, 'LOUSHO_CONFIG_MISSING_INPUT'],
    ['null', null, 'LOUSHO_CONFIG_MISSING_INPUT'],
    ['the empty text', '', 'LOUSHO_CONFIG_MISSING_INPUT'],
    ['a number', 7, 'LOUSHO_CONFIG_INVALID'],
    ['an object', { role: 'user', content: 'Hi' }, 'LOUSHO_CONFIG_INVALID'],
    ['a message of no role', [{ role: 'boss', content: 'Hi' }], 'LOUSHO_CONFIG_INVALID'],
    ['a message without content', [{ role: 'user' }], 'LOUSHO_CONFIG_INVALID'],
    ['a list of texts', ['Hi'], 'LOUSHO_CONFIG_INVALID'],
    ['a result without a call', [{ role: 'tool', toolCallId: 'x', content: '1' }], 'LOUSHO_CONFIG_INVALID'],
    [
      'messages mixed with parts',
      [
        { role: 'user', content: 'a' },
        { type: 'text', text: 'b' },
      ],
      'LOUSHO_CONFIG_INVALID',
    ],
  ])('refuse %s as input before anything is written or asked', async (_, input, code) => {
    const store = spyStore();
    const provider = mockModel(['ok']);
    const agent = createAgent({ provider, store });
    expect(await codeOf(agent.send(input as never, { sessionId: 's' }))).toBe(code);
    expect(await codeOfThrow(() => agent.stream(input as never, { sessionId: 's' }))).toBe(code);
    expect(store.saves).toEqual([]);
    expect(provider.calls).toEqual([]);
  });

  it.each([
    ['metadata', { metadata: { at: new Date(0) } }],
    ['business state', { businessState: { total: 10n } }],
    ['principal', { principal: new Map() }],
  ])('A72 %s that cannot be stored are refused before the model is paid for', async (_, options) => {
    const store = spyStore();
    const provider = mockModel(['ok']);
    const ports = { logger: { warn: () => undefined } };
    const agent = createAgent({ provider, store, ports });
    expect(await codeOf(agent.send('Hi', { sessionId: 's', ...options }))).toBe('LOUSHO_VALUE_INVALID');
    expect(await store.inner.load('s')).toBeNull();
    expect(await store.inner.readLease?.('s')).toBeNull();
    expect(provider.calls).toEqual([]);
  });

  it('refuse a misspelt option', async () => {
    const agent = createAgent({ provider: mockModel(['ok']), store: memoryStore() });
    expect(await codeOf(agent.send('Hi', { sessionID: 's' } as never))).toBe('LOUSHO_CONFIG_INVALID');
    expect(await codeOfThrow(() => agent.stream('Hi', { sessionID: 's' } as never))).toBe(
      'LOUSHO_CONFIG_INVALID',
    );
    expect(await codeOf(agent.resume('s', { signl: null } as never))).toBe('LOUSHO_CONFIG_INVALID');
  });

  it('refuse a session id without a store', async () => {
    const provider = mockModel(['ok']);
    for (const store of [undefined, {}]) {
      const agent = createAgent({ provider, ...(store && { store }) });
      const code = 'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE';
      expect(await codeOf(agent.send('Hi', { sessionId: 's' }))).toBe(code);
      expect(await codeOfThrow(() => agent.stream('Hi', { sessionId: 's' }))).toBe(code);
      expect(await codeOf(agent.resume('s'))).toBe(code);
      expect(await codeOf(agent.pending())).toBe(code);
      expect(await codeOfThrow(() => agent.recover())).toBe(code);
    }
    expect(provider.calls).toEqual([]);
  });

  it('without a session id an agent without a store runs', async () => {
    expect((await createAgent({ provider: mockModel(['ok']) }).send('Hi')).text).toBe('ok');
  });

  it('maxSteps of a call goes before the agent’s, and is checked', async () => {
    const provider = mockModel([calls('a')], { onExhausted: 'repeat-last' });
    const agent = createAgent({ provider, tools: [tool('a')], maxSteps: 5 });
    expect((await agent.send('Hi', { maxSteps: 1 })).steps).toBe(1);
    expect(await codeOf(agent.send('Hi', { maxSteps: 0 }))).toBe('LOUSHO_CONFIG_INVALID');
  });

  it('a run makes at most 10 model calls by default', async () => {
    const provider = mockModel([calls('a')], { onExhausted: 'repeat-last' });
    const result = await createAgent({ provider, tools: [tool('a')] }).send('Hi');
    expect(result).toMatchObject({ steps: 10, finishReason: 'max-steps' });
  });
});

describe('AgentExecutor', () => {
  const options = (fields: object) =>
    ({ agent: { name: 'helper' }, input: 'Hi', provider: mockModel(['ok']), ...fields }) as ExecuteOptions;

  it.each([
    ['agent', { agent: undefined }, 'LOUSHO_CONFIG_MISSING_AGENT'],
    ['input', { input: undefined }, 'LOUSHO_CONFIG_MISSING_INPUT'],
    ['provider', { provider: undefined }, 'LOUSHO_CONFIG_MISSING_PROVIDER'],
    ['checkpointStore', { sessionId: 's' }, 'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE'],
  ])('execute() without %s rejects; stream() throws', async (_, fields, code) => {
    expect(await codeOf(AgentExecutor.execute(options(fields)))).toBe(code);
    expect(await codeOfThrow(() => AgentExecutor.stream(options(fields)))).toBe(code);
  });

  it('refuses a misspelt option', async () => {
    const fields = { sessionID: 's', checkpointStore: memoryStore().checkpoints };
    expect(await codeOf(AgentExecutor.execute(options(fields)))).toBe('LOUSHO_CONFIG_INVALID');
  });

  it('execute() with a session id and a store is send(): it resumes and continues', async () => {
    const store = memoryStore();
    const provider = mockModel([calls('a'), 'one', 'two']);
    const toolRegistry = new ToolRegistry([tool('a')]);
    const durable = { provider, toolRegistry, sessionId: 'chat-42', checkpointStore: store.checkpoints };
    expect((await AgentExecutor.execute(options(durable))).text).toBe('one');
    expect((await AgentExecutor.execute(options({ ...durable, input: 'More' }))).messages).toHaveLength(6);
    expect((await AgentExecutor.execute(options({ ...durable, input: [] }))).text).toBe('two');
    expect(await AgentExecutor.resume(durable as never).catch((error) => error.code)).toBe(
      'LOUSHO_CONFIG_MISSING_AGENT',
    );
    expect(await AgentExecutor.resume({ ...durable, agent: { name: 'helper' } })).toBeNull();
  });

  it('tools of the agent and of the registry together; one name in both is refused', async () => {
    const provider = mockModel([calls('a', 'b'), 'ok']);
    const agent = { name: 'helper', tools: [tool('a')] };
    const { toolCalls } = await AgentExecutor.execute(
      options({ provider, agent, toolRegistry: new ToolRegistry([tool('b')]) }),
    );
    expect(toolCalls.map((call) => call.result)).toEqual(['a', 'b']);
    const twice = options({ agent, toolRegistry: new ToolRegistry([tool('a')]) });
    expect(await codeOf(AgentExecutor.execute(twice))).toBe('LOUSHO_TOOL_DUPLICATE');
  });
});

describe('ToolRegistry', () => {
  it('keeps tools by name, in order of registration', async () => {
    const registry = new ToolRegistry();
    registry.registerMany([tool('b'), tool('a')]);
    expect(registry.list()).toEqual(['b', 'a']);
    expect([registry.has('a'), registry.get('a')?.name, registry.size()]).toEqual([true, 'a', 2]);
    expect(await codeOfThrow(() => registry.register(tool('a')))).toBe('LOUSHO_TOOL_DUPLICATE');
    expect([registry.unregister('a'), registry.unregister('a')]).toEqual([true, false]);
    registry.getAll();
    registry.clear();
    expect(registry.size()).toBe(0);
  });
});

describe('calls on one session id', () => {
  it('I10 run strictly one after another, in call order, also through two agents on one store object', async () => {
    const store = memoryStore();
    const order: string[] = [];
    const agentOf = (name: string) =>
      createAgent({
        provider: mockModel(
          [
            async ({ messages }) => {
              const said = messages.at(-1)?.content as string;
              order.push(`start ${said}`);
              await settled();
              order.push(`end ${said}`);
              return `${name}: ${said}`;
            },
          ],
          { onExhausted: 'repeat-last' },
        ),
        store,
      });
    const [one, two] = [agentOf('one'), agentOf('two')];
    const results = await Promise.all([
      one.send('1', { sessionId: 's' }),
      two.send('2', { sessionId: 's' }),
      one.stream('3', { sessionId: 's' }).result,
      two.send('4', { sessionId: 's' }),
    ]);
    expect(order).toEqual(['1', '2', '3', '4'].flatMap((n) => [`start ${n}`, `end ${n}`]));
    expect(results.at(-1)?.messages).toHaveLength(8);
  });

  it('I10 one that fails does not hold up the next', async () => {
    const agent = createAgent({
      provider: mockModel([{ error: new Error('no') }, 'ok']),
      store: memoryStore(),
    });
    const [first, second] = [agent.send('1', { sessionId: 's' }), agent.send('2', { sessionId: 's' })];
    expect(await codeOf(first)).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
    expect((await second).messages.map((message) => message.content)).toEqual(['1', '2', 'ok']);
  });

  it('of other ids do not wait for each other', async () => {
    const gate = deferred<string>();
    const provider = mockModel([() => gate.promise, 'fast']);
    const agent = createAgent({ provider, store: memoryStore() });
    const slow = agent.send('1', { sessionId: 'slow' });
    await until(() => provider.calls.length === 1);
    expect((await agent.send('2', { sessionId: 'fast' })).text).toBe('fast');
    gate.resolve('slow');
    expect((await slow).text).toBe('slow');
  });

  it('a resume and a send right behind it keep call order', async () => {
    const store = memoryStore();
    let isFirst = true;
    const a = tool('a', () => {
      if (!isFirst) return 'a';
      isFirst = false;
      throw Object.assign(new Error('died'), { name: 'PropagatingToolError' });
    });
    const agent = createAgent({ provider: mockModel([calls('a'), 'Old.', 'New.']), tools: [a], store });
    await rejection(agent.send('Go', { sessionId: 's' }));
    const [resumed, sent] = await Promise.all([agent.resume('s'), agent.send('More', { sessionId: 's' })]);
    expect(resumed?.text).toBe('Old.');
    expect(sent.messages.map((message) => message.role).join(' ')).toBe(
      'user assistant tool assistant user assistant',
    );
  });

  it('take their input as it is when they are called', async () => {
    const store = memoryStore();
    const history = [{ role: 'user' as const, content: 'Hi' }];
    const agent = createAgent({ provider: mockModel(['Hello.']), store });
    const run = agent.send(history, { sessionId: 's' });
    history.push({ role: 'user', content: 'not yet' });
    (history[0] as { content: string }).content = 'changed';
    expect((await run).messages.map((message) => message.content)).toEqual(['Hi', 'Hello.']);
  });

  it('I10 in line keep order on a custom store of three methods too', async () => {
    const checkpoints = viewOf(memoryStore().checkpoints, { only: ['save', 'load', 'delete'] });
    const agent = createAgent({ provider: mockModel(['a', 'b', 'c']), store: { checkpoints } });
    const all = await Promise.all(['1', '2', '3'].map((text) => agent.send(text, { sessionId: 's' })));
    expect(all.map((result) => result.messages.length)).toEqual([2, 4, 6]);
  });

  it('A60 two resumes at once of one interrupted run: its pending tool runs once', async () => {
    const store = memoryStore();
    let isFirst = true;
    const a = countingTool('a', () => {
      if (!isFirst) return 'a';
      isFirst = false;
      throw Object.assign(new Error('died'), { name: 'PropagatingToolError' });
    });
    const provider = mockModel([calls('a'), 'ok']);
    const agent = createAgent({ provider, tools: [a], store });
    await rejection(agent.send('Go', { sessionId: 's' }));
    const results = await Promise.all([agent.resume('s'), agent.resume('s')]);
    expect(results.map((result) => result?.text ?? null)).toEqual(['ok', null]);
    expect(a.started).toHaveLength(2);
  });
});

describe('close()', () => {
  it('resolves when the calls that are going on have settled, and leaves the store open', async () => {
    const store = memoryStore();
    const gate = deferred<string>();
    const provider = mockModel([() => gate.promise]);
    const agent = createAgent({ provider, store });
    const run = agent.send('Hi', { sessionId: 's' });
    let isClosed = false;
    await until(() => provider.calls.length === 1);
    const closing = agent.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    gate.resolve('done');
    await closing;
    expect((await run).text).toBe('done');
    expect((await store.checkpoints.load('s'))?.status).toBe('finished');
  });

  it('waits for a failing call without rejecting, and may be called twice', async () => {
    const agent = createAgent({ provider: mockModel([{ error: new Error('no') }]) });
    const run = agent.send('Hi').catch(() => undefined);
    await agent.close();
    await agent.close();
    await run;
  });
});
