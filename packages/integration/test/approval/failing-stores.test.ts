import type { AgentStore, ApprovalStore, CheckpointStore } from '@lousho/core';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { codeOf, rejection } from '../support/rejections.js';
import { calls, workshop } from './support/workshop.js';

const SESSION = { sessionId: 'order-7' };

type Around = (next: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>;

/** A store of which some methods misbehave. */
function disturbed(
  store: AgentStore,
  parts: {
    checkpoints?: Partial<Record<keyof CheckpointStore, Around>>;
    approvals?: Partial<Record<keyof ApprovalStore, Around>>;
  },
): AgentStore {
  const part = <T extends object>(inner: T, around: Partial<Record<string, Around>> = {}): T =>
    new Proxy(inner, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const next = async (): Promise<unknown> => Reflect.apply(value, target, args);
          return around[String(key)]?.(next, args) ?? next();
        };
      },
    });
  return {
    checkpoints: part(store.checkpoints as CheckpointStore, parts.checkpoints),
    approvals: part(store.approvals as ApprovalStore, parts.approvals),
  };
}

function failOn(n: number): Around {
  let seen = 0;
  return (next) => (++seen === n ? Promise.reject(new Error('the disk is gone')) : next());
}

const SCRIPT = { turns: [calls('a', 'b', 'c'), 'done'], gated: ['b', 'c'], open: ['a'] };

describe('a store that fails while a run pauses', () => {
  it.each([1, 2])('approvals.save number %i: no paused checkpoint and no dangling record', async (n) => {
    const store = memoryStore();
    const { agent, effects } = workshop({
      ...SCRIPT,
      store: disturbed(store, { approvals: { save: failOn(n) } }),
    });
    expect((await rejection(agent.send('Go', SESSION))).message).toContain('the disk is gone');
    expect(await store.approvals.list()).toEqual([]);
    const stored = await store.checkpoints.load('order-7');
    expect(stored).toMatchObject({ status: 'in-progress', attempts: 1 });
    expect(stored?.approvalIds ?? stored?.approvalId).toBeUndefined();
    const again = await agent.resume('order-7');
    expect(again?.approvalIds).toHaveLength(2);
    expect(await store.approvals.list()).toHaveLength(2);
    expect(effects).toEqual(['a']);
  });

  it('the save of the paused checkpoint: in progress, and no record is left', async () => {
    const store = memoryStore();
    const isPause = (args: readonly unknown[]) =>
      (args[1] as { status?: string }).status === 'awaiting-approval';
    let failures = 0;
    const saveIfLeased: Around = (next, args) =>
      isPause(args) && failures++ === 0 ? Promise.reject(new Error('the disk is gone')) : next();
    const { agent } = workshop({ ...SCRIPT, store: disturbed(store, { checkpoints: { saveIfLeased } }) });
    await rejection(agent.send('Go', SESSION));
    expect(await store.approvals.list()).toEqual([]);
    expect((await store.checkpoints.load('order-7'))?.status).toBe('in-progress');
    expect((await agent.resume('order-7'))?.finishReason).toBe('awaiting-approval');
    expect(await store.approvals.list()).toHaveLength(2);
  });

  it('a paused checkpoint that was written although its save failed never names a record that is not there', async () => {
    const store = memoryStore();
    let isGone = false;
    const saveIfLeased: Around = async (next, args) => {
      if (isGone) throw new Error('the network is gone');
      const answer = await next();
      isGone = (args[1] as { status?: string }).status === 'awaiting-approval';
      if (isGone) throw new Error('the network is gone');
      return answer;
    };
    const { agent } = workshop({ ...SCRIPT, store: disturbed(store, { checkpoints: { saveIfLeased } }) });
    await rejection(agent.send('Go', SESSION));
    const stored = await store.checkpoints.load('order-7');
    const listed = (await store.approvals.list()).map(({ id }) => id).toSorted();
    expect(stored?.status).toBe('awaiting-approval');
    expect(listed).toEqual(stored?.approvalIds?.toSorted());

    const healthy = workshop({ ...SCRIPT, store });
    for (const id of stored?.approvalIds ?? []) await healthy.agent.approvals.resolve({ id, approved: true });
    expect(healthy.effects.toSorted()).toEqual(['b', 'c']);
  });

  it('the lease is lost before the paused checkpoint: the new holder asks, and nothing of the old one is left', async () => {
    const store = memoryStore();
    const effects: string[] = [];
    let isLost = false;
    const saveIfLeased: Around = async (next, args) => {
      if ((args[1] as { status?: string }).status === 'awaiting-approval' && !isLost) {
        isLost = true;
        await store.checkpoints.releaseLease?.('order-7', args[2] as string);
        await workshop({ ...SCRIPT, store, effects }).agent.resume('order-7');
      }
      return next();
    };
    const zombie = workshop({
      ...SCRIPT,
      effects,
      store: disturbed(store, { checkpoints: { saveIfLeased } }),
    });
    expect(await codeOf(zombie.agent.send('Go', SESSION))).toBe('LOUSHO_SESSION_BUSY');
    const stored = await store.checkpoints.load('order-7');
    expect(stored?.status).toBe('awaiting-approval');
    expect((await store.approvals.list()).map(({ id }) => id).toSorted()).toEqual(
      stored?.approvalIds?.toSorted(),
    );
    expect(effects).toEqual(['a']);
  });

  it('an approval that cannot be withdrawn is withdrawn when the run is resumed', async () => {
    const store = memoryStore();
    const down: Around = () => Promise.reject(new Error('the disk is gone'));
    const { agent } = workshop({
      ...SCRIPT,
      store: disturbed(store, { approvals: { save: failOn(2), delete: down } }),
    });
    await rejection(agent.send('Go', SESSION));
    const [left] = await store.approvals.list();
    expect(left).toBeDefined();
    const healthy = workshop({ ...SCRIPT, store });
    await healthy.agent.resume('order-7');
    const ids = (await store.approvals.list()).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(ids).not.toContain(left?.id);
  });
});

describe('a store that fails while a person decides', () => {
  it.each(['load', 'decide'] as const)(
    'approvals.%s fails: the approval is pending, and a second try works',
    async (method) => {
      const store = memoryStore();
      const { approvalIds = [] } = await workshop({ ...SCRIPT, store }).agent.send('Go', SESSION);
      const [b = '', c = ''] = approvalIds;
      const { agent, effects } = workshop({
        ...SCRIPT,
        store: disturbed(store, { approvals: { [method]: failOn(1) } }),
      });
      expect((await rejection(agent.approvals.resolve({ id: b, approved: true }))).message).toContain(
        'the disk is gone',
      );
      expect(await store.approvals.list()).toHaveLength(2);
      await agent.approvals.resolve({ id: b, approved: true });
      await agent.approvals.resolve({ id: c, approved: true });
      expect(effects).toEqual(['b', 'c']);
    },
  );

  it('the reply of a decision is lost: a second try hears that it is decided, a resume finishes the run', async () => {
    const store = memoryStore();
    const script = { turns: [calls('b'), 'done'], gated: ['b'] };
    const { approvalId = '' } = await workshop({ ...script, store }).agent.send('Go', SESSION);
    const decide: Around = async (next) => {
      await next();
      throw new Error('the network is gone');
    };
    const { agent, effects } = workshop({ ...script, store: disturbed(store, { approvals: { decide } }) });
    await rejection(agent.approvals.resolve({ id: approvalId, approved: true }));
    const again = await rejection(agent.approvals.resolve({ id: approvalId, approved: true }));
    expect(again.detail).toContain('already decided');
    expect((await agent.resume('order-7'))?.finishReason).toBe('stop');
    expect(effects).toEqual(['b']);
  });

  it('the start mark cannot be saved: the approved call does not run, and a resume runs it once', async () => {
    const store = memoryStore();
    const script = { turns: [calls('b'), 'done'], gated: ['b'] };
    const { approvalId = '' } = await workshop({ ...script, store }).agent.send('Go', SESSION);
    const saveIfLeased = failOn(1);
    const { agent, effects } = workshop({
      ...script,
      store: disturbed(store, { checkpoints: { saveIfLeased } }),
    });
    await rejection(agent.approvals.resolve({ id: approvalId, approved: true }));
    expect(effects).toEqual([]);
    expect(await store.approvals.list()).toEqual([]);
    await agent.resume('order-7');
    expect(effects.length).toBeLessThanOrEqual(1);
  });
});
