import { type AgentHook, createAgent } from '@lousho/core';
import { mockModel, virtualTimers } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { deferred, until } from '../executor/support/deferred.js';
import { replicas } from '../executor/support/replicas.js';
import { roles, spyStore } from '../executor/support/spy-store.js';
import { calls, countingTool } from '../executor/support/tools.js';
import { codeOf, rejection } from '../support/rejections.js';

const SESSION = { sessionId: 'order-7' };

/** Two replicas: one whose run stands inside tool `a`, and one that would finish it. */
function stalled(toolConcurrency: number | 'unbounded' = 'unbounded') {
  const world = replicas();
  const gate = deferred<string>();
  const signals: AbortSignal[] = [];
  const a = countingTool('a', (_, { signal }) => {
    signals.push(signal);
    return gate.promise;
  });
  const b = countingTool('b');
  const provider = mockModel([calls('a', 'b'), 'Done by the first.']);
  const first = {
    ...world.start({ provider, tools: [a, b], toolConcurrency }),
    a,
    b,
    provider,
    gate,
    signals,
  };
  const secondTools = [
    countingTool('a', () => 'a by the second'),
    countingTool('b', () => 'b by the second'),
  ];
  const secondProvider = mockModel(['Done by the second.']);
  const second = { ...world.start({ provider: secondProvider, tools: secondTools }), tools: secondTools };
  return { world, first, second };
}

describe('a run that stalled for longer than its lease', () => {
  it('D9 A03 and was taken over starts nothing more and changes nothing, though its heartbeat never ran', async () => {
    const { world, first, second } = stalled(1);
    const run = first.agent.send('Go', SESSION);
    await until(() => first.a.started.length === 1);
    first.timers.stop();
    await world.clock.advance(31_000);
    const result = await second.agent.resume('order-7');
    const history = await world.inner.history('order-7');

    first.gate.resolve('a by the first');
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    expect(first.b.started).toEqual([]);
    expect(first.provider.calls).toHaveLength(1);
    expect((await world.inner.load('order-7'))?.messages).toEqual(result?.messages);
    expect(await world.inner.history('order-7')).toEqual(history);
    expect(second.tools.map((tool) => tool.started.length)).toEqual([1, 1]);
  });

  it('A03 hears of the loss from its next heartbeat: the running tool’s signal fires', async () => {
    const { world, first, second } = stalled(1);
    const run = first.agent.send('Go', SESSION);
    void run.catch(() => undefined);
    await until(() => first.a.started.length === 1);
    first.timers.stop();
    await world.clock.advance(31_000);
    await second.agent.resume('order-7');
    expect(first.signals[0]?.aborted).toBe(false);
    first.timers.goOn();
    await until(() => first.signals[0]?.aborted === true);
    first.gate.resolve('too late');
    const error = await rejection(run);
    expect(error.code).toBe('LOUSHO_SESSION_BUSY');
    expect(error.message).toMatch(/lost its lease/);
    expect(first.b.started).toEqual([]);
    expect(world.clock.waiting).toBe(0);
  });

  it('A09 and lost it during a model call asks nothing more, and the answer is not recorded', async () => {
    const world = replicas();
    const answer = deferred<string>();
    const provider = mockModel([() => answer.promise]);
    const a = countingTool('a');
    const first = world.start({ provider, tools: [a] });
    const run = first.agent.send('Go', SESSION);
    await until(() => provider.calls.length === 1);
    await world.steal('order-7');
    await world.clock.advance(10_000);
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    answer.resolve('late');
    expect(await world.inner.load('order-7')).toBeNull();
    expect((await world.inner.readLease('order-7'))?.owner).toBe('thief');
    expect(world.clock.waiting).toBe(0);
  });

  it('A16 and was not taken over goes on', async () => {
    const { world, first } = stalled();
    const run = first.agent.send('Go', SESSION);
    await until(() => first.a.started.length === 1);
    first.timers.stop();
    await world.clock.advance(10 * 60_000);
    first.gate.resolve('a by the first');
    expect((await run).text).toBe('Done by the first.');
    expect(first.provider.calls).toHaveLength(2);
    expect(await world.inner.readLease('order-7')).toBeNull();
  });

  it.each([
    ['beforeToolCall', 30_000],
    ['beforeToolCall', 31_000],
    ['beforeModelCall', 30_000],
    ['beforeModelCall', 31_000],
  ] as const)(
    'D16 asks the store itself before the next effect: stopped in %s for %i ms, it starts nothing',
    async (method, stoppedMs) => {
      const world = replicas();
      const gate = deferred();
      let isInHook = false;
      const hook: AgentHook = {
        name: 'slow',
        [method]: async () => {
          isInHook = true;
          await gate.promise;
        },
      };
      const a = countingTool('a');
      const provider = mockModel([calls('a'), 'ok']);
      const first = world.start({ provider, tools: [a], hooks: [hook] });
      const run = first.agent.send('Go', SESSION);
      await until(() => isInHook);
      first.timers.stop();
      await world.clock.advance(stoppedMs);
      await world.inner.acquireLease('order-7', 'rival', 30_000);
      const before = provider.calls.length;
      gate.resolve();
      expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
      expect(a.started).toEqual([]);
      expect(provider.calls).toHaveLength(before);
      expect((await world.inner.readLease('order-7'))?.owner).toBe('rival');
    },
  );

  it('within its lease it asks nobody: no renewal between beats', async () => {
    const { first, world } = stalled();
    const run = first.agent.send('Go', SESSION);
    await until(() => first.a.started.length === 1);
    await world.clock.advance(9_000);
    first.gate.resolve('ok');
    await run;
    expect(first.store.calls.filter((call) => call.startsWith('renew'))).toEqual([]);
  });

  it('A16 after a host’s sleep (the wall clock jumped, the monotonic clock did not) the store is asked first', async () => {
    const clock = virtualTimers();
    let asleepMs = 0;
    const timers = { ...clock, now: () => clock.now() + asleepMs, schedule: clock.schedule };
    const gate = deferred();
    const hook: AgentHook = { name: 'slow', beforeToolCall: () => gate.promise };
    const a = countingTool('a');
    const store = spyStore(memoryStore({ clock }).checkpoints);
    const provider = mockModel([calls('a'), 'ok']);
    const agent = createAgent({ provider, tools: [a], hooks: [hook], store, ports: { timers } });
    const run = agent.send('Go', SESSION);
    await until(() => provider.calls.length === 1 && store.saves.length === 1);
    asleepMs = 60_000;
    const { owner } = (await store.inner.readLease?.('order-7')) ?? { owner: '' };
    await store.inner.releaseLease?.('order-7', owner);
    gate.resolve();
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    expect(a.started).toEqual([]);
  });

  it('the loser leaves no error on the winner’s record', async () => {
    const { world, first } = stalled();
    const run = first.agent.send('Go', SESSION);
    await until(() => first.a.started.length === 1 && first.store.saves.length === 2);
    const before = await world.inner.load('order-7');
    await world.steal('order-7');
    first.gate.resolve('a');
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    expect(first.warnings).toEqual([]);
    expect(await world.inner.load('order-7')).toEqual(before);
  });

  it('an abort of a run that lost its lease is a busy session, not an aborted run, and writes nothing', async () => {
    const world = replicas();
    const controller = new AbortController();
    const provider = mockModel([{ text: 'never', delayMs: 60_000 }]);
    const { agent } = world.start({ provider });
    const run = agent.send('Hi', { ...SESSION, signal: controller.signal });
    await until(() => provider.calls.length === 1);
    await world.steal('order-7');
    controller.abort();
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    expect(await world.inner.load('order-7')).toBeNull();
  });

  it('A04 A05 a lost lease causes no unhandled rejection and no second release', async () => {
    const seen: unknown[] = [];
    const listen = (reason: unknown) => seen.push(reason);
    process.on('unhandledRejection', listen);
    const { world, first } = stalled();
    const run = first.agent.send('Go', SESSION);
    await until(() => first.a.started.length === 1);
    await world.steal('order-7');
    await world.clock.advance(10_000);
    first.gate.resolve('late');
    await rejection(run);
    await world.clock.advance(60_000);
    process.off('unhandledRejection', listen);
    expect(seen).toEqual([]);
    expect((await world.inner.history('order-7')).length).toBeLessThanOrEqual(2);
  });
});

describe('D19 a run that is deleted while it is live', () => {
  it('is fenced at its next save and does not come back', async () => {
    const { world, first } = stalled(1);
    const run = first.agent.send('Go', SESSION);
    await until(() => first.a.started.length === 1);
    await world.inner.delete('order-7');
    first.gate.resolve('a');
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    expect(first.b.started).toEqual([]);
    expect(await world.inner.load('order-7')).toBeNull();
    expect(await world.inner.listPending()).toEqual([]);
    expect(world.clock.waiting).toBe(0);
  });

  it('before its first save, it is not created afterwards', async () => {
    const world = replicas();
    const answer = deferred<string>();
    const provider = mockModel([() => answer.promise]);
    const run = world.start({ provider }).agent.send('Go', SESSION);
    await until(() => provider.calls.length === 1);
    await world.inner.delete('order-7');
    answer.resolve('Hello.');
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    expect(await world.inner.load('order-7')).toBeNull();
  });

  it('the id can be used anew at once', async () => {
    const { world, first } = stalled();
    const run = first.agent.send('Go', SESSION);
    await until(() => first.a.started.length === 1);
    await world.inner.delete('order-7');
    const { agent } = world.start({ provider: mockModel(['A new life.']) });
    await agent.send('Start over', SESSION);
    first.gate.resolve('a');
    expect(await codeOf(run)).toBe('LOUSHO_SESSION_BUSY');
    expect(roles((await world.inner.load('order-7'))?.messages ?? [])).toBe('user assistant');
  });
});
