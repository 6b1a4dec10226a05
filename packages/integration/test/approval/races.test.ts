import type { AgentStore } from '@lousho/core';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';
import { together } from '../harness/together.js';
import { codeOf } from '../support/rejections.js';
import { mortal, nth } from './support/mortal.js';
import { resultOf } from './support/results.js';
import { calls, workshop } from './support/workshop.js';

const SESSION = { sessionId: 'order-7' };
const BUSY_OR_DECIDED = ['LOUSHO_SESSION_BUSY', 'LOUSHO_APPROVAL_NOT_FOUND'];

describe('what comes at the same time', () => {
  onFullStores((newStorage) => {
    it('an abort at any store call of the pause: either it is paused and listed, or nobody is asked', async () => {
      for (let at = 1; at <= 30; at++) {
        const { open } = newStorage();
        const controller = new AbortController();
        let seen = 0;
        const life = mortal(open(), {
          after: () => {
            if (++seen === at) controller.abort();
            return false;
          },
        });
        const options = { turns: [calls('a', 'b', 'c'), 'done'], gated: ['b', 'c'], open: ['a'] };
        const { agent } = workshop({ ...options, store: life.store });
        const result = await agent.send('Go', { ...SESSION, signal: controller.signal });
        const stored = await open().checkpoints.load('order-7');
        const listed = (await open().approvals.list()).map(({ id }) => id).toSorted();
        expect([at, result.finishReason, listed]).toEqual([
          at,
          stored?.status === 'awaiting-approval' ? 'awaiting-approval' : 'aborted',
          stored?.approvalIds?.toSorted() ?? [],
        ]);
        if (seen < at) break;
      }
    });

    it('an abort in the very event that asks comes too late: the question stands', async () => {
      const store = newStorage().open();
      const controller = new AbortController();
      const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const run = agent.stream('Go', { ...SESSION, signal: controller.signal });
      for await (const event of run) if (event.type === 'approval.requested') controller.abort();
      const { finishReason, approvalId = '' } = await run.result;
      const stored = await store.checkpoints.load('order-7');
      expect((await store.approvals.list()).map(({ id }) => id)).toEqual(stored?.approvalIds ?? []);
      expect(finishReason).toBe('awaiting-approval');
      await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(effects).toEqual(['b']);
    });

    it('A60 two resumes of a run whose decider died: one goes on, the approved call runs once', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
      const { approvalId = '' } = await workshop({ ...options, store: open() }).agent.send('Go', SESSION);
      const life = mortal(open(), { after: nth(1, 'approvals.decide') });
      await codeOf(
        workshop({ ...options, store: life.store }).agent.approvals.resolve({
          id: approvalId,
          approved: true,
        }),
      );
      const outcomes = await together(
        open(),
        [open(), open(), open()].map((store) => async () => {
          const { agent } = workshop({ ...options, store });
          return agent.resume('order-7').then(
            (result) => result?.finishReason ?? 'nothing',
            (error) => error.code as string,
          );
        }),
      );
      expect(outcomes.filter((outcome) => outcome === 'stop')).toHaveLength(1);
      for (const outcome of outcomes) expect(['stop', 'nothing', 'LOUSHO_SESSION_BUSY']).toContain(outcome);
      expect(effects).toEqual(['b']);
    });

    it('a decision, a message and a resume at once: the call runs once, the message joins or is refused', async () => {
      const { open } = newStorage();
      for (let round = 0; round < 4; round++) {
        const sessionId = `order-${round}`;
        const effects: string[] = [];
        const options = { turns: [calls('b'), 'done', 'and done'], gated: ['b'], effects };
        const { approvalId = '' } = await workshop({ ...options, store: open() }).agent.send('Go', {
          sessionId,
        });
        const [decided, said] = await together(open(), [
          () =>
            codeOf(
              workshop({ ...options, store: open() }).agent.approvals.resolve({
                id: approvalId,
                approved: true,
              }),
            ),
          () => codeOf(workshop({ ...options, store: open() }).agent.send('Hurry', { sessionId })),
          () => codeOf(workshop({ ...options, store: open() }).agent.resume(sessionId)),
        ]);
        expect(['none', 'LOUSHO_SESSION_BUSY']).toContain(decided);
        expect(['none', 'LOUSHO_SESSION_BUSY', 'LOUSHO_SESSION_AWAITING_APPROVAL']).toContain(said);
        expect(effects).toEqual(decided === 'none' ? ['b'] : []);
      }
    });

    it('the two calls of a pause are decided at once through two clients: both succeed, each call runs once', async () => {
      const { open } = newStorage();
      const clients = [open(), open()];
      for (let round = 0; round < 4; round++) {
        const effects: string[] = [];
        const options = { turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'], effects };
        const first = workshop({ ...options, store: clients[0] as FullStore });
        const { approvalIds = [] } = await first.agent.send('Go', { sessionId: `order-${round}` });
        const results = await together(
          open(),
          approvalIds.map(
            (id, index) => () =>
              workshop({ ...options, store: clients[index] as FullStore }).agent.approvals.resolve({
                id,
                approved: true,
              }),
          ),
        );
        expect(results.map(({ finishReason }) => finishReason).toSorted()).toEqual([
          'awaiting-approval',
          'stop',
        ]);
        expect(effects.toSorted()).toEqual(['b', 'c']);
      }
    });

    it('a lease that is lost while the approved call runs: one effect, the new holder says interrupted', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
      const store = open();
      const acquired: string[] = [];
      const checkpoints = new Proxy(store.checkpoints, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            if (key === 'acquireLease') acquired.push(args[1] as string);
            return Reflect.apply(value, target, args) as unknown;
          };
        },
      });
      let taken: string | undefined;
      const does = {
        b: async () => {
          await store.checkpoints.releaseLease('order-7', acquired.at(-1) as string);
          const other = workshop({ ...options, store: open() });
          taken = (await other.agent.resume('order-7'))?.finishReason;
        },
      };
      const slow = workshop({ ...options, store: { checkpoints, approvals: store.approvals }, does });
      const { approvalId = '' } = await slow.agent.send('Go', SESSION);
      expect(await codeOf(slow.agent.approvals.resolve({ id: approvalId, approved: true }))).toBe(
        'LOUSHO_SESSION_BUSY',
      );
      expect([taken, effects]).toEqual(['stop', ['b']]);
      const messages = (await store.checkpoints.load('order-7'))?.messages ?? [];
      expect(resultOf(messages, 'b')).toMatchObject({ kind: 'interrupted' });
    });

    it('a run out of its budget of steps still carries out what was approved, and ends there', async () => {
      const store = newStorage().open();
      const { agent, effects, model } = workshop({
        store,
        turns: [calls('b'), 'done'],
        gated: ['b'],
        maxSteps: 1,
      });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const done = await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(done.finishReason).toBe('max-steps');
      expect([effects, model.requests.length]).toEqual([['b'], 1]);
    });
  });
});

describe('on a checkpoint store without leases', () => {
  /** What another process has of it: an object of its own. */
  function client({ checkpoints, approvals }: AgentStore): AgentStore {
    if (!checkpoints || !approvals) throw new Error('no store');
    return {
      approvals,
      checkpoints: {
        save: (id, checkpoint, options) => checkpoints.save(id, checkpoint, options),
        load: (id) => checkpoints.load(id),
        delete: (id) => checkpoints.delete(id),
      },
    };
  }

  it('of many who decide one approval at once one runs the call', async () => {
    const store = memoryStore();
    const effects: string[] = [];
    const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
    const { approvalId = '' } = await workshop({ ...options, store: client(store) }).agent.send(
      'Go',
      SESSION,
    );
    const codes = await Promise.all(
      Array.from({ length: 5 }, () =>
        codeOf(
          workshop({ ...options, store: client(store) }).agent.approvals.resolve({
            id: approvalId,
            approved: true,
          }),
        ),
      ),
    );
    expect(codes.filter((code) => code === 'none')).toHaveLength(1);
    for (const code of codes) expect(['none', ...BUSY_OR_DECIDED]).toContain(code);
    expect(effects).toEqual(['b']);
  });

  it('two people who decide the two calls of a pause at once: each call runs once', async () => {
    const store = memoryStore();
    const effects: string[] = [];
    const options = { turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'], effects };
    const { approvalIds = [] } = await workshop({ ...options, store: client(store) }).agent.send(
      'Go',
      SESSION,
    );
    await Promise.all(
      approvalIds.map((id) =>
        workshop({ ...options, store: client(store) }).agent.approvals.resolve({ id, approved: true }),
      ),
    );
    expect(effects.toSorted()).toEqual(['b', 'c']);
    expect((await store.checkpoints.load('order-7'))?.status).toBe('finished');
  });
});
