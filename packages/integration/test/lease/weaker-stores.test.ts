import { type Checkpoint, SDKError } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { deferred, until } from '../executor/support/deferred.js';
import { replicas } from '../executor/support/replicas.js';
import { roles } from '../executor/support/spy-store.js';
import { type StoreMethod, THREE_METHODS } from '../executor/support/store-view.js';
import { calls, countingTool, tool } from '../executor/support/tools.js';
import { codeOf, rejection } from '../support/rejections.js';

const SESSION = { sessionId: 'order-7' };
const ACQUIRE_ONLY: readonly StoreMethod[] = [...THREE_METHODS, 'acquireLease', 'releaseLease'];
const lost = () => new SDKError('LOUSHO_STORE_OUTCOME_UNKNOWN', 'the reply was lost');

describe('D13 a store of three methods', () => {
  it('runs, resumes and continues without leases, tokens or timers', async () => {
    const world = replicas();
    const tokens: unknown[] = [];
    let isFirst = true;
    const a = tool('a', (_, context) => {
      tokens.push(context.fencingToken);
      if (!isFirst) return 'a';
      isFirst = false;
      throw Object.assign(new Error('died'), { name: 'PropagatingToolError' });
    });
    const provider = mockModel([calls('a'), 'Done.', 'More.']);
    const { agent, store } = world.start({ provider, tools: [a] }, { only: THREE_METHODS });
    await rejection(agent.send('Go', SESSION));
    expect((await agent.resume('order-7'))?.text).toBe('Done.');
    expect((await agent.send('And?', SESSION)).text).toBe('More.');
    expect(tokens).toEqual([undefined, undefined]);
    expect(world.clock.waiting).toBe(0);
    expect(new Set(store.calls)).toEqual(new Set(['load', 'save']));
    expect(roles((await world.inner.load('order-7'))?.messages ?? [])).toBe(
      'user assistant(a) tool(a) assistant user assistant',
    );
  });

  it('cannot be listed: pending() and recover() say so', async () => {
    const { agent } = replicas().start({ provider: mockModel([]) }, { only: THREE_METHODS });
    expect(await codeOf(agent.pending())).toBe('LOUSHO_CONFIG_INVALID');
    expect(await codeOf((async () => agent.recover())())).toBe('LOUSHO_CONFIG_INVALID');
  });
});

describe('D13 a store that can only acquire and release', () => {
  it('is asked for the lease again right before each save', async () => {
    const world = replicas();
    const { agent, store } = world.start(
      { provider: mockModel([calls('a'), 'Done.']), tools: [tool('a')] },
      { only: ACQUIRE_ONLY },
    );
    await agent.send('Go', SESSION);
    expect(store.calls).toEqual([
      'acquireLease',
      'load',
      'acquireLease',
      'save',
      'acquireLease',
      'save',
      'acquireLease',
      'save',
      'releaseLease',
    ]);
  });

  it('starts no timer, and a run that was replaced does not save', async () => {
    const world = replicas();
    const gate = deferred<string>();
    const a = countingTool('a', () => gate.promise);
    const b = countingTool('b');
    const { agent } = world.start(
      { provider: mockModel([calls('a', 'b')]), tools: [a, b], toolConcurrency: 1 },
      { only: ACQUIRE_ONLY },
    );
    const run = agent.send('Go', SESSION);
    await until(() => a.started.length === 1);
    expect(world.clock.waiting).toBe(0);
    await world.steal('order-7');
    const before = await world.inner.load('order-7');
    gate.resolve('late');
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    expect(b.started).toEqual([]);
    expect(await world.inner.load('order-7')).toEqual(before);
  });

  it('a lease that answers `true` has no token', async () => {
    const world = replicas();
    const tokens: unknown[] = [];
    const { agent } = world.start(
      {
        provider: mockModel([calls('a'), 'ok']),
        tools: [tool('a', (_, context) => void tokens.push('fencingToken' in context))],
      },
      {
        only: ACQUIRE_ONLY,
        around: async (method, _, next) => {
          const answer = await next();
          return method === 'acquireLease' ? answer !== false : answer;
        },
      },
    );
    await agent.send('Go', SESSION);
    expect(tokens).toEqual([false]);
  });

  it('its lease is lost when nobody saves for longer than the ttl, and a rival comes', async () => {
    const world = replicas();
    const gate = deferred<string>();
    const a = countingTool('a', () => gate.promise);
    const { agent } = world.start({ provider: mockModel([calls('a')]), tools: [a] }, { only: ACQUIRE_ONLY });
    const run = agent.send('Go', SESSION);
    await until(() => a.started.length === 1);
    await world.clock.advance(30_000);
    const rival = world.start({ provider: mockModel(['ok']), tools: [tool('a', () => 'a by the rival')] });
    expect((await rival.agent.resume('order-7'))?.toolCalls[0]?.result).toBe('a by the rival');
    gate.resolve('late');
    // The rival has finished and released: the late run takes the lease again and must not undo what is stored.
    await run.catch(() => undefined);
    const stored = await world.inner.load('order-7');
    expect(stored?.status).toBe('finished');
    expect(JSON.stringify(stored?.messages)).toContain('a by the rival');
  });
});

describe('a store whose renewals fail for a while', () => {
  it.each([25_000, 65_000])('goes on after %i ms, and each failed beat is logged', async (downMs) => {
    const world = replicas();
    let isDown = false;
    const gate = deferred<string>();
    const a = countingTool('a', () => gate.promise);
    const { agent, warnings } = world.start(
      { provider: mockModel([calls('a'), 'Done.']), tools: [a] },
      {
        around: (method, _, next) => {
          if (isDown && method.startsWith('renew')) throw new Error('no connection');
          return next();
        },
      },
    );
    const run = agent.send('Go', SESSION);
    await until(() => a.started.length === 1);
    isDown = true;
    await world.clock.advance(downMs);
    expect(warnings).toHaveLength(Math.floor(downMs / 10_000));
    isDown = false;
    gate.resolve('ok');
    expect((await run).text).toBe('Done.');
    expect(world.clock.waiting).toBe(0);
  });

  it('a beat that answers `false` for one run stops that run only', async () => {
    const world = replicas();
    const gates = [deferred<string>(), deferred<string>()];
    const provider = mockModel([() => gates[0]!.promise, () => gates[1]!.promise]);
    const { agent } = world.start({ provider });
    const runs = ['one', 'two'].map((sessionId) => agent.send('Hi', { sessionId }));
    runs[0]?.catch(() => undefined);
    await until(() => provider.calls.length === 2);
    await world.steal('one');
    await world.clock.advance(10_000);
    expect(await codeOf(runs[0] as Promise<unknown>)).toBe('LOUSHO_SESSION_BUSY');
    for (const gate of gates) gate.resolve('ok');
    expect((await runs[1])?.text).toBe('ok');
  });
});

describe('a save whose reply was lost', () => {
  async function runWith(
    fault: (saves: number, next: () => Promise<unknown>) => unknown,
    only?: readonly StoreMethod[],
  ) {
    const world = replicas();
    let saves = 0;
    const a = countingTool('a');
    const provider = mockModel([calls('a'), 'Done.']);
    const { agent } = world.start(
      { provider, tools: [a] },
      {
        ...(only && { only }),
        around: (method, _, next) => (method.startsWith('save') ? fault(++saves, next) : next()),
      },
    );
    const outcome = await codeOf(agent.send('Go', SESSION));
    const history = await world.inner.history('order-7');
    return {
      world,
      a,
      provider,
      outcome,
      revisions: history.map((entry) => entry.checkpoint.revision),
      agent,
    };
  }

  describe.each([
    ['fenced saves', undefined],
    ['three methods', THREE_METHODS],
  ])('on a store with %s', (_, only) => {
    it.each([1, 2, 3])(
      'applied (save %i): is found by reading back; nothing is saved or run twice',
      async (which) => {
        const { outcome, revisions, a, provider } = await runWith(async (saves, next) => {
          await next();
          if (saves === which) throw lost();
          return only ? undefined : true;
        }, only);
        expect(outcome).toBe('none');
        expect(revisions).toEqual([3, 2, 1]);
        expect([a.started.length, provider.calls.length]).toEqual([1, 2]);
      },
    );

    it.each([1, 2, 3])('not applied (save %i): is saved again', async (which) => {
      const { outcome, revisions, a, provider } = await runWith((saves, next) => {
        if (saves === which) throw lost();
        return next();
      }, only);
      expect(outcome).toBe('none');
      expect(revisions).toEqual([3, 2, 1]);
      expect([a.started.length, provider.calls.length]).toEqual([1, 2]);
    });
  });

  it('again and again rejects the run; nothing further starts, and it can be resumed', async () => {
    let isDown = true;
    const { outcome, a, provider, agent } = await runWith((saves, next) => {
      if (isDown && saves >= 1) throw lost();
      return next();
    });
    expect(outcome).toBe('LOUSHO_STORE_OUTCOME_UNKNOWN');
    expect(a.started).toEqual([]);
    expect(provider.calls).toHaveLength(1);
    isDown = false;
    provider.reset();
    expect((await agent.send('Go', SESSION)).text).toBe('Done.');
  });

  it('behind which somebody else took over is a busy session', async () => {
    const world = replicas();
    let saves = 0;
    const { agent } = world.start(
      { provider: mockModel([calls('a')]), tools: [tool('a')] },
      {
        around: async (method, _, next) => {
          if (method !== 'saveIfLeased' || ++saves !== 2) return next();
          await world.steal('order-7');
          throw lost();
        },
      },
    );
    expect(await codeOf(agent.send('Go', SESSION))).toBe('LOUSHO_SESSION_BUSY');
    expect((await world.inner.load('order-7'))?.revision).toBe(1);
  });
});

describe('an acquire', () => {
  it('whose reply was lost asks nobody anything, and leaves the id free', async () => {
    const world = replicas();
    let isFirst = true;
    const provider = mockModel(['ok']);
    const { agent, store } = world.start(
      { provider },
      {
        around: async (method, _, next) => {
          const answer = await next();
          if (method !== 'acquireLease' || !isFirst) return answer;
          isFirst = false;
          throw lost();
        },
      },
    );
    expect(await codeOf(agent.send('Hi', SESSION))).toBe('LOUSHO_STORE_OUTCOME_UNKNOWN');
    expect(provider.calls).toHaveLength(0);
    // Another process does not know that this one gave up: the lease itself must be given back.
    expect(store.calls).toContain('releaseLease');
    expect(await world.inner.readLease('order-7')).toBeNull();
    expect((await agent.send('Hi', SESSION)).text).toBe('ok');
  });

  it('whose reply was lost with the connection still leaves the id free for this process', async () => {
    const world = replicas();
    let isDown = true;
    const { agent } = world.start(
      { provider: mockModel(['ok']) },
      {
        around: async (method, _, next) => {
          if (isDown && method === 'releaseLease') throw new Error('no connection');
          const answer = await next();
          if (isDown && method === 'acquireLease') throw lost();
          return answer;
        },
      },
    );
    expect(await codeOf(agent.send('Hi', SESSION))).toBe('LOUSHO_STORE_OUTCOME_UNKNOWN');
    isDown = false;
    expect((await agent.send('Hi', SESSION)).text).toBe('ok');
    expect(world.clock.waiting).toBe(0);
  });

  it.each([
    ['nobody came meanwhile: the run starts', false, 'none', 1],
    ['a rival came meanwhile: it is busy, and nothing starts', true, 'LOUSHO_SESSION_BUSY', 0],
  ])('A06 A12 that took longer than the ttl asks again; %s', async (_, rivalComes, outcome, modelCalls) => {
    const world = replicas();
    const provider = mockModel(['ok']);
    const { agent } = world.start(
      { provider },
      {
        around: async (method, _, next) => {
          const answer = await next();
          if (method === 'acquireLease') {
            await world.clock.advance(45_000);
            if (rivalComes) await world.inner.acquireLease('order-7', 'rival', 30_000);
          }
          return answer;
        },
      },
    );
    expect(await codeOf(agent.send('Hi', SESSION))).toBe(outcome);
    expect(provider.calls).toHaveLength(modelCalls);
    expect(world.clock.waiting).toBe(0);
    if (rivalComes) expect((await world.inner.readLease('order-7'))?.owner).toBe('rival');
  });
});

describe('what is decided is decided under the lease', () => {
  it('A61 a run that was finished elsewhere between the look and the lease is not run again', async () => {
    const world = replicas();
    const unfinished: Checkpoint = {
      sessionId: 'order-7',
      stepIndex: 0,
      messages: [{ role: 'user', content: 'Hi' }],
    };
    await world.inner.save('order-7', unfinished);
    const provider = mockModel([]);
    const { agent } = world.start(
      { provider },
      {
        around: async (method, _, next) => {
          if (method === 'acquireLease') {
            await world.start({ provider: mockModel(['Hello.']) }).agent.resume('order-7');
          }
          return next();
        },
      },
    );
    expect(await agent.resume('order-7')).toBeNull();
    expect(provider.calls).toHaveLength(0);
  });
});
