import { createAgent, type Observer } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { collected } from '../../../telemetry/test/support/collected.js';
import { deferred, until } from '../executor/support/deferred.js';
import { replicas } from '../executor/support/replicas.js';
import { calls, countingTool, tool } from '../executor/support/tools.js';
import { codeOf } from '../support/rejections.js';

const SESSION = { sessionId: 'order-7' };

/** A run that stands inside its tool `a`, in a process of its own. */
async function standing(world: ReturnType<typeof replicas>, observer: Observer) {
  const gate = deferred<string>();
  const a = countingTool('a', () => gate.promise);
  const replica = world.start({ provider: mockModel([calls('a'), 'Done.']), tools: [a], observer });
  const run = replica.agent.send('Go', SESSION);
  run.catch(() => undefined);
  await until(() => a.started.length === 1);
  return { ...replica, gate, run };
}

function other(world: ReturnType<typeof replicas>, observer: Observer) {
  return world.start({
    name: 'helper',
    provider: mockModel([calls('a'), 'Done.'], { turnBy: 'transcript' }),
    tools: [countingTool('a')],
    observer,
  });
}

describe('the metrics of leases', () => {
  it('count calls that are turned away, by what they wanted', async () => {
    const into = collected();
    const world = replicas();
    const { gate, run } = await standing(world, into.observer);
    const second = other(world, into.observer);
    expect(await codeOf(second.agent.send('Go', SESSION))).toBe('LOUSHO_SESSION_BUSY');
    expect(await codeOf(second.agent.resume('order-7'))).toBe('LOUSHO_SESSION_BUSY');
    expect(await codeOf(second.agent.resume('order-7'))).toBe('LOUSHO_SESSION_BUSY');
    gate.resolve('a done');
    await run;
    expect(await into.points('lousho.lease.refusals')).toEqual([
      { attributes: { 'lousho.call': 'send' }, value: 1 },
      { attributes: { 'lousho.call': 'resume' }, value: 2 },
    ]);
    expect(await into.points('lousho.run.take_overs')).toEqual([]);
    expect(await into.points('lousho.lease.losses')).toEqual([]);
  });

  it('count a decision once that is turned away, however often it tried', async () => {
    const into = collected();
    const store = memoryStore();
    const asking = { ...tool('pay'), needsApproval: true };
    const agent = createAgent({
      provider: mockModel([calls('pay')]),
      store,
      tools: [asking],
      observer: into.observer,
    });
    const { approvalId = '' } = await agent.send('Pay', SESSION);
    await store.checkpoints.acquireLease?.('order-7', 'somebody', 30_000);
    expect(await codeOf(agent.approvals.resolve({ id: approvalId, approved: true }))).toBe(
      'LOUSHO_SESSION_BUSY',
    );
    expect(await into.points('lousho.lease.refusals')).toEqual([
      { attributes: { 'lousho.call': 'decide' }, value: 1 },
    ]);
  });

  it('count a run that is taken over, and the lease that is lost by it', async () => {
    const into = collected();
    const world = replicas();
    const first = await standing(world, into.observer);
    first.timers.stop();
    await world.clock.advance(31_000);
    await other(world, into.observer).agent.resume('order-7');
    first.gate.resolve('a by the first');
    expect(await codeOf(first.run)).toBe('LOUSHO_SESSION_BUSY');
    expect(await into.points('lousho.run.take_overs')).toEqual([
      { attributes: { 'gen_ai.agent.name': 'helper' }, value: 1 },
    ]);
    expect(await into.points('lousho.lease.losses')).toEqual([{ attributes: {}, value: 1 }]);
    const [lost] = into.spans;
    expect(lost?.attributes).toMatchObject({ 'error.type': 'LOUSHO_SESSION_BUSY' });
  });

  it('do not take a decision for a take-over', async () => {
    const into = collected();
    const asking = { ...tool('pay'), needsApproval: true };
    const agent = createAgent({
      provider: mockModel([calls('pay'), 'Paid.']),
      store: memoryStore(),
      tools: [asking],
      observer: into.observer,
    });
    const { approvalId = '' } = await agent.send('Pay', SESSION);
    await agent.approvals.resolve({ id: approvalId, approved: true });
    expect(await into.points('lousho.run.take_overs')).toEqual([]);
  });
});

describe('the metrics of saves', () => {
  it('have the seconds of each, and of those that failed the reason', async () => {
    const into = collected();
    const world = replicas();
    const provider = mockModel([calls('a'), 'Done.'], { turnBy: 'transcript' });
    const options = { provider, tools: [countingTool('a')], observer: into.observer };
    await world.start(options).agent.send('Go', SESSION);
    expect(await into.points('lousho.save.duration')).toEqual([
      { attributes: {}, value: { count: 3, sum: expect.any(Number) } },
    ]);
    const failing = world.start(options, {
      around: (method, _, next) => {
        if (method === 'saveIfLeased') throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
        return next();
      },
    });
    await failing.agent.send('Go', { sessionId: 'order-8' }).catch(() => undefined);
    const points = await into.points('lousho.save.duration');
    expect(points.map(({ attributes }) => attributes)).toEqual([
      {},
      { 'error.type': 'LOUSHO_STORAGE_FAILED' },
    ]);
  });
});

describe('the pending runs', () => {
  it('are those that the last look of recover() found', async () => {
    const into = collected();
    const store = memoryStore();
    const asking = { ...tool('pay'), needsApproval: true };
    const provider = mockModel([calls('pay')], { onExhausted: 'repeat-last' });
    const agent = createAgent({ name: 'payer', provider, store, tools: [asking], observer: into.observer });
    expect(await into.points('lousho.run.pending')).toEqual([]);
    await agent.send('Pay', { sessionId: 'one' });
    await agent.send('Pay', { sessionId: 'two' });
    const recovery = agent.recover();
    const told = (inProgress: number, awaiting: number) => [
      {
        attributes: { 'gen_ai.agent.name': 'payer', 'lousho.run.status': 'in-progress' },
        value: inProgress,
      },
      {
        attributes: { 'gen_ai.agent.name': 'payer', 'lousho.run.status': 'awaiting-approval' },
        value: awaiting,
      },
    ];
    await expect.poll(() => into.points('lousho.run.pending')).toEqual(told(0, 2));
    await recovery.stop();
  });
});
