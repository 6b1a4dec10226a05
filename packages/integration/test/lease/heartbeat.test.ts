import { createAgent, type LeaseRef } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { deferred, settled, until } from '../executor/support/deferred.js';
import { replicas } from '../executor/support/replicas.js';
import { calls, countingTool, tool } from '../executor/support/tools.js';
import { codeOf } from '../support/rejections.js';

const SESSION = { sessionId: 'order-7' };

/** A replica whose run stands inside tool `a` until `gate` is resolved. */
function standing(world = replicas(), view?: Parameters<typeof world.start>[1]) {
  const gate = deferred<string>();
  const signals: AbortSignal[] = [];
  const a = countingTool('a', (_, { signal }) => {
    signals.push(signal);
    return gate.promise;
  });
  const provider = mockModel([calls('a'), 'Done.'], { onExhausted: 'repeat-last' });
  const replica = world.start({ provider, tools: [a] }, view);
  return { world, gate, a, provider, signals, ...replica };
}

describe('the heartbeat', () => {
  it('renews every 10 s, all runs of a process in one round trip', async () => {
    const world = replicas();
    const beats: (readonly LeaseRef[])[] = [];
    const gate = deferred<string>();
    const provider = mockModel([() => gate.promise], { onExhausted: 'repeat-last' });
    const { agent } = world.start(
      { provider },
      {
        around: (method, args, next) => {
          if (method === 'renewLeases') beats.push(args[0] as readonly LeaseRef[]);
          return next();
        },
      },
    );
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const runs = ids.map((sessionId) => agent.send('Hi', { sessionId }));
    await until(() => provider.calls.length === 5);
    await world.clock.advance(9_999);
    expect(beats).toHaveLength(0);
    await world.clock.advance(1);
    expect(beats.map((refs) => refs.map((ref) => ref.sessionId).sort())).toEqual([ids]);
    await world.clock.advance(20_000);
    expect(beats).toHaveLength(3);
    expect(new Set(beats[0]?.map((ref) => ref.owner)).size).toBe(5);
    gate.resolve('ok');
    await Promise.all(runs);
    expect(world.clock.waiting).toBe(0);
  });

  it('keeps a run for as long as it takes', async () => {
    const { world, agent, gate, a } = standing();
    const run = agent.send('Go', SESSION);
    await until(() => a.started.length === 1);
    await world.clock.advance(10 * 60_000);
    const rival = standing(world);
    expect(await codeOf(rival.agent.send('Me too', SESSION))).toBe('LOUSHO_SESSION_BUSY');
    gate.resolve('ok');
    expect((await run).text).toBe('Done.');
  });

  it('is one for all agents of a process on one store', async () => {
    const world = replicas();
    const gate = deferred<string>();
    const provider = mockModel([() => gate.promise], { onExhausted: 'repeat-last' });
    const { store, timers } = world.start({ provider });
    const options = { provider, store, ports: { timers } };
    const runs = ['a', 'b'].map((sessionId) => createAgent(options).send('Hi', { sessionId }));
    await until(() => provider.calls.length === 2);
    await world.clock.advance(10_000);
    expect(store.calls.filter((call) => call === 'renewLeases')).toHaveLength(1);
    gate.resolve('ok');
    await Promise.all(runs);
  });

  it('joins leases that were taken one after another into one beat', async () => {
    const world = replicas();
    const beats: number[] = [];
    const gate = deferred<string>();
    const provider = mockModel([() => gate.promise], { onExhausted: 'repeat-last' });
    const { agent } = world.start(
      { provider },
      {
        around: (method, args, next) => {
          if (method === 'renewLeases') beats.push((args[0] as readonly LeaseRef[]).length);
          return next();
        },
      },
    );
    const runs: Promise<unknown>[] = [];
    for (const sessionId of ['a', 'b', 'c']) {
      runs.push(agent.send('Hi', { sessionId }));
      await until(() => provider.calls.length === runs.length);
      await world.clock.advance(2_000);
    }
    // Taken at 0, 2 and 4 s: the first beat is at 10 s, for all three.
    await world.clock.advance(10_000);
    expect(beats).toEqual([3]);
    await world.clock.advance(20_000);
    expect(beats).toEqual([3, 3, 3]);
    gate.resolve('ok');
    await Promise.all(runs);
    expect(world.clock.waiting).toBe(0);
  });

  it('follows the lease options', async () => {
    const world = replicas();
    const gate = deferred<string>();
    const provider = mockModel([() => gate.promise]);
    const { agent, store } = world.start({ provider, lease: { ttlMs: 900 } });
    const run = agent.send('Hi', SESSION);
    await until(() => provider.calls.length === 1);
    expect((await world.inner.readLease('order-7'))?.takeableAt).toBe(
      new Date(world.clock.now() + 900).toISOString(),
    );
    await world.clock.advance(300);
    expect(store.calls.filter((call) => call === 'renewLeases')).toHaveLength(1);
    gate.resolve('ok');
    await run;
  });

  it('begins again with the next run', async () => {
    const world = replicas();
    const gate = deferred<string>();
    const provider = mockModel(['first', () => gate.promise]);
    const { agent, store } = world.start({ provider });
    await agent.send('Hi', SESSION);
    expect(world.clock.waiting).toBe(0);
    const run = agent.send('Again', SESSION);
    await until(() => provider.calls.length === 2);
    await world.clock.advance(30_000);
    expect(store.calls.filter((call) => call === 'renewLeases')).toHaveLength(3);
    gate.resolve('ok');
    await run;
  });

  it('A07 a beat that is on its way while the run ends does not bring the lease back', async () => {
    const held = deferred();
    const { world, agent, gate, a } = standing(undefined, {
      around: async (method, _, next) => {
        if (method === 'renewLeases') await held.promise;
        return next();
      },
    });
    const run = agent.send('Go', SESSION);
    await until(() => a.started.length === 1);
    await world.clock.advance(10_000);
    gate.resolve('ok');
    expect((await run).text).toBe('Done.');
    held.resolve();
    await settled();
    expect(await world.inner.readLease('order-7')).toBeNull();
    expect(world.clock.waiting).toBe(0);
  });

  it('a beat whose reply never comes does not stop the next ones', async () => {
    let beats = 0;
    const { world, agent, gate, a } = standing(undefined, {
      around: (method, _, next) => {
        if (method === 'renewLeases' && ++beats === 1) return new Promise(() => {});
        return next();
      },
    });
    const run = agent.send('Go', SESSION);
    await until(() => a.started.length === 1);
    await world.clock.advance(60_000);
    expect(beats).toBe(6);
    expect((await world.inner.readLease('order-7'))?.takeableAt).toBe(
      new Date(world.clock.now() + 30_000).toISOString(),
    );
    gate.resolve('ok');
    expect((await run).text).toBe('Done.');
    expect(world.clock.waiting).toBe(0);
  });

  it('renews one by one on a store that cannot renew many', async () => {
    const world = replicas();
    const gate = deferred<string>();
    const provider = mockModel([() => gate.promise], { onExhausted: 'repeat-last' });
    const { agent, store } = world.start(
      { provider },
      { only: ['save', 'load', 'delete', 'acquireLease', 'renewLease', 'releaseLease', 'saveIfLeased'] },
    );
    const runs = ['a', 'b'].map((sessionId) => agent.send('Hi', { sessionId }));
    await until(() => provider.calls.length === 2);
    await world.clock.advance(10_000);
    expect(store.calls.filter((call) => call === 'renewLease')).toHaveLength(2);
    gate.resolve('ok');
    await Promise.all(runs);
    expect(world.clock.waiting).toBe(0);
  });
});

describe('D15 the lease is given back and no timer is left', () => {
  it.each([
    ['when the run has finished', {}],
    ['when it was aborted', { signal: AbortSignal.abort() }],
  ])('%s', async (_, options) => {
    const world = replicas();
    const { agent } = world.start({ provider: mockModel(['ok']) });
    await agent.send('Hi', { ...SESSION, ...options });
    expect(world.clock.waiting).toBe(0);
    expect(await world.inner.readLease('order-7')).toBeNull();
  });

  it('when it was aborted in the middle of a model call', async () => {
    const world = replicas();
    const controller = new AbortController();
    const provider = mockModel([{ text: 'never', delayMs: 60_000 }]);
    const { agent } = world.start({ provider });
    const run = agent.send('Hi', { ...SESSION, signal: controller.signal });
    await until(() => provider.calls.length === 1);
    expect(world.clock.waiting).toBe(1);
    controller.abort();
    await run;
    expect(world.clock.waiting).toBe(0);
    expect(await world.inner.readLease('order-7')).toBeNull();
  });

  it('when it rejects', async () => {
    const world = replicas();
    const { agent } = world.start({ provider: mockModel([{ error: new Error('no') }]) });
    expect(await codeOf(agent.send('Hi', SESSION))).toBe('LOUSHO_PROVIDER_REQUEST_FAILED');
    expect(world.clock.waiting).toBe(0);
    expect(await world.inner.readLease('order-7')).toBeNull();
  });

  it('when the id was busy', async () => {
    const world = replicas();
    await world.steal('order-7');
    const { agent } = world.start({ provider: mockModel([]) });
    expect(await codeOf(agent.send('Hi', SESSION))).toBe('LOUSHO_SESSION_BUSY');
    expect(world.clock.waiting).toBe(0);
    expect((await world.inner.readLease('order-7'))?.owner).toBe('thief');
  });

  it('when the stored record cannot be read', async () => {
    const world = replicas();
    const { agent } = world.start(
      { provider: mockModel([]) },
      {
        around: (method, _, next) => {
          if (method === 'load') throw new Error('disk error');
          return next();
        },
      },
    );
    expect(await codeOf(agent.send('Hi', SESSION))).toBe('LOUSHO_STORAGE_FAILED');
    expect(world.clock.waiting).toBe(0);
    expect(await world.inner.readLease('order-7')).toBeNull();
  });

  it('when giving it back fails: the result stands, it is logged, and this process can go on at once', async () => {
    const world = replicas();
    let isDown = true;
    const provider = mockModel(['one', 'two']);
    const { agent, warnings } = world.start(
      { provider },
      {
        around: (method, _, next) => {
          if (method === 'releaseLease' && isDown) throw new Error('no connection');
          return next();
        },
      },
    );
    expect((await agent.send('Hi', SESSION)).text).toBe('one');
    expect(warnings).toHaveLength(1);
    expect(world.clock.waiting).toBe(0);
    isDown = false;
    expect((await agent.send('Again', SESSION)).text).toBe('two');
  });
});

describe('an id that somebody else holds', () => {
  it('D1 is refused before anything runs; the refusal names the holder and the moment it can be taken', async () => {
    const first = standing();
    const { world } = first;
    const since = new Date(world.clock.now()).toISOString();
    const run = first.agent.send('Go', SESSION);
    await until(() => first.a.started.length === 1);
    const before = await world.inner.load('order-7');
    const rival = standing(world);
    for (const attempt of [
      () => rival.agent.send('Me too', SESSION),
      () => rival.agent.resume('order-7'),
      () => rival.agent.stream([], SESSION).result,
    ]) {
      const error = await attempt().then(
        () => undefined,
        (thrown) => thrown,
      );
      const takeableAt = new Date(world.clock.now() + 30_000).toISOString();
      expect(error).toMatchObject({
        name: 'SessionBusyError',
        code: 'LOUSHO_SESSION_BUSY',
        retryable: true,
        sessionId: 'order-7',
        holder: { since, takeableAt },
      });
      expect(error.message).toContain(takeableAt);
      expect(error.message).toContain(since);
    }
    expect(rival.provider.calls).toHaveLength(0);
    expect(rival.a.started).toHaveLength(0);
    expect(rival.store.saves).toHaveLength(0);
    expect(await world.inner.load('order-7')).toEqual(before);
    first.gate.resolve('ok');
    await run;
  });

  it('a store that cannot tell the holder still refuses', async () => {
    const world = replicas();
    await world.steal('order-7');
    for (const fault of ['missing', 'throwing'] as const) {
      const { agent } = world.start(
        { provider: mockModel([]) },
        {
          around: (method, _, next) => {
            if (method === 'readLease' && fault === 'throwing') throw new Error('no');
            return method === 'readLease' ? null : next();
          },
        },
      );
      expect(await codeOf(agent.send('Hi', SESSION))).toBe('LOUSHO_SESSION_BUSY');
    }
  });

  it('D2 D16 a holder that died is followed exactly when its lease has expired', async () => {
    const first = standing();
    const { world } = first;
    void first.agent.send('Go', SESSION).catch(() => undefined);
    await until(() => first.a.started.length === 1);
    await world.clock.advance(25_000);
    first.timers.stop();
    // The last beat was at 20 s.
    const rival = standing(world);
    rival.gate.resolve('by the rival');
    await world.clock.advance(24_999);
    expect(await codeOf(rival.agent.resume('order-7'))).toBe('LOUSHO_SESSION_BUSY');
    await world.clock.advance(1);
    const result = await rival.agent.resume('order-7');
    expect(result?.toolCalls[0]?.result).toBe('by the rival');
    expect(rival.store.saves[0]?.checkpoint.stepIndex).toBe(1);
  });

  it('A60 of 16 processes that resume one run, one runs and 15 are refused; the effect happens once', async () => {
    const world = replicas();
    await world.inner.save('order-7', {
      sessionId: 'order-7',
      stepIndex: 1,
      messages: [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }],
        },
      ],
    });
    const a = countingTool('a', settled);
    const provider = mockModel(['Done.']);
    const agents = Array.from({ length: 16 }, () => world.start({ provider, tools: [a] }).agent);
    const outcomes = await Promise.all(agents.map((agent) => codeOf(agent.resume('order-7'))));
    expect(outcomes.filter((code) => code === 'none')).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'LOUSHO_SESSION_BUSY')).toHaveLength(15);
    expect(a.started).toEqual(['c1']);
    expect(provider.calls).toHaveLength(1);
  });
});

describe('the fencing token', () => {
  it('grows each time the run changes hands, also within one process', async () => {
    const world = replicas();
    const tokens: (number | undefined)[] = [];
    let deaths = 2;
    const a = tool('a', (_, { fencingToken }) => {
      tokens.push(fencingToken);
      if (deaths-- > 0) throw Object.assign(new Error('died'), { name: 'PropagatingToolError' });
    });
    const provider = mockModel([calls('a'), calls('a'), 'ok']);
    const one = world.start({ provider, tools: [a] });
    await one.agent.send('Go', SESSION).catch(() => undefined);
    await one.agent.resume('order-7').catch(() => undefined);
    await world.start({ provider, tools: [a] }).agent.resume('order-7');
    expect(tokens).toHaveLength(4);
    expect(tokens[1]).toBeGreaterThan(tokens[0] as number);
    expect(tokens[2]).toBeGreaterThan(tokens[1] as number);
    expect(tokens[3]).toBe(tokens[2]);
  });

  it('every acquisition has an owner of its own', async () => {
    const world = replicas();
    const owners: unknown[] = [];
    const { agent } = world.start(
      { provider: mockModel(['1', '2', '3']) },
      {
        around: (method, args, next) => {
          if (method === 'acquireLease') owners.push(args[1]);
          return next();
        },
      },
    );
    for (const text of ['a', 'b', 'c']) await agent.send(text, SESSION);
    expect(new Set(owners).size).toBe(3);
  });
});
