import type { AgentStore } from '@lousho/core';
import { type VirtualTimers, virtualTimers } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { calls, workshop } from './support/workshop.js';

const SESSION = { sessionId: 'order-7' };
const CALL_MS = 300;

/** What a process far away has of a store: an object of its own, each call of which takes its time. */
function farAway(store: AgentStore, time: VirtualTimers): AgentStore {
  const part = <T extends object>(inner: T): T =>
    new Proxy(inner, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          await new Promise<void>((resolve) => time.schedule(resolve, CALL_MS));
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  const { checkpoints, approvals } = store;
  return {
    ...(checkpoints && { checkpoints: part(checkpoints) }),
    ...(approvals && { approvals: part(approvals) }),
  };
}

/** Moves time on until the work is over; how long that took, too. */
async function inTime<T>(time: VirtualTimers, work: Promise<T>): Promise<{ answer: T; tookMs: number }> {
  const startedAt = time.monotonic();
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await time.advance(50);
  return { answer: await over, tookMs: time.monotonic() - startedAt };
}

function outcome(resolving: Promise<{ readonly finishReason: string }>): Promise<string> {
  return resolving.then(
    ({ finishReason }) => finishReason,
    (error) => error.code as string,
  );
}

describe('decisions on a store whose calls take 300 ms', () => {
  it('two people decide the two calls of a pause at once: both succeed, each call runs once', async () => {
    const time = virtualTimers();
    const store = memoryStore({ clock: time });
    const effects: string[] = [];
    const options = { turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'], effects, ports: { timers: time } };
    const { approvalIds = [] } = await workshop({ ...options, store }).agent.send('Go', SESSION);
    const deciding = approvalIds.map((id) => {
      const { agent } = workshop({ ...options, store: farAway(store, time) });
      return outcome(agent.approvals.resolve({ id, approved: true }));
    });
    const { answer } = await inTime(time, Promise.all(deciding));
    expect(answer.toSorted()).toEqual(['awaiting-approval', 'stop']);
    expect(effects.toSorted()).toEqual(['b', 'c']);
  });

  it('of eight who decide one approval at once one goes on, the others hear that it was decided', async () => {
    const time = virtualTimers();
    const store = memoryStore({ clock: time });
    const effects: string[] = [];
    const options = { turns: [calls('b'), 'done'], gated: ['b'], effects, ports: { timers: time } };
    const { approvalId = '' } = await workshop({ ...options, store }).agent.send('Go', SESSION);
    const deciding = Array.from({ length: 8 }, () => {
      const { agent } = workshop({ ...options, store: farAway(store, time) });
      return outcome(agent.approvals.resolve({ id: approvalId, approved: true }));
    });
    const { answer } = await inTime(time, Promise.all(deciding));
    expect(answer.toSorted()).toEqual([...Array(7).fill('LOUSHO_APPROVAL_NOT_FOUND'), 'stop']);
    expect(effects).toEqual(['b']);
  });

  it('a run that is held elsewhere is waited for no longer than a lease lives, and the approval stays', async () => {
    const time = virtualTimers();
    const store = memoryStore({ clock: time });
    const options = { turns: [calls('b'), 'done'], gated: ['b'], ports: { timers: time } };
    const { approvalId = '' } = await workshop({ ...options, store }).agent.send('Go', SESSION);
    await store.checkpoints.acquireLease?.('order-7', 'worker-b', 600_000);
    const { agent } = workshop({ ...options, store: farAway(store, time), lease: { ttlMs: 4_000 } });
    const deciding = outcome(agent.approvals.resolve({ id: approvalId, approved: true }));
    const { answer, tookMs } = await inTime(time, deciding);
    expect(answer).toBe('LOUSHO_SESSION_BUSY');
    // The last look begins within the wait.
    expect(tookMs).toBeGreaterThan(4_000);
    expect(tookMs).toBeLessThan(4_000 + 5 * CALL_MS);
    expect(await store.approvals.list()).toHaveLength(1);
  });
});
