import { defineTool, type Reconciled, type Tool, type ToolContext } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { onFullStores } from '../harness/on-stores.js';
import { rejection } from '../support/rejections.js';
import { mortal } from './support/mortal.js';
import { resultOf } from './support/results.js';
import { calls, countingTool, type Execute, workshop } from './support/workshop.js';

const SESSION = { sessionId: 'order-7' };

describe('a call that runs at most once', () => {
  onFullStores((newStorage) => {
    /** Lets the process die in tool `b`, and gives a fresh one on the same storage. */
    async function interrupted(safety: Pick<Tool, 'rerun' | 'reconcile' | 'needsApproval'>) {
      const { open } = newStorage();
      const effects: string[] = [];
      const life = mortal(open());
      const process = (store: typeof life.store, execute?: Execute) =>
        workshop({
          store,
          turns: [calls('b'), 'done'],
          tools: [countingTool({ name: 'b', effects, ...safety, ...(execute && { execute }) })],
        });
      const first = process(life.store, () => life.kill());
      const sent = first.agent.send('Go', SESSION);
      if (safety.needsApproval) {
        const { approvalId = '' } = await sent;
        await rejection(first.agent.approvals.resolve({ id: approvalId, approved: true }));
      } else await rejection(sent);
      expect(effects).toEqual(['b']);
      return { effects, agent: process(open()).agent, open };
    }

    it("rerun: 'always' (the default) runs again on resume", async () => {
      for (const safety of [{}, { rerun: 'always' as const }]) {
        const { agent, effects } = await interrupted(safety);
        const done = await agent.resume('order-7');
        expect(effects).toEqual(['b', 'b']);
        expect(resultOf(done?.messages ?? [], 'b')).toBe('b done');
      }
    });

    it("rerun: 'never' has its start saved, and gets an interrupted result", async () => {
      const { agent, effects, open } = await interrupted({ rerun: 'never' });
      expect((await open().checkpoints.load('order-7'))?.startedToolCallIds).toEqual(['b']);
      const done = await agent.resume('order-7');
      expect(done?.finishReason).toBe('stop');
      expect(effects).toEqual(['b']);
      expect(resultOf(done?.messages ?? [], 'b')).toMatchObject({ kind: 'interrupted', isError: true });
    });

    const SAFETIES = { never: { rerun: 'never' }, approved: { needsApproval: true } } as const;
    it.each(Object.entries(SAFETIES))(
      '%s: reconcile says that it happened, and supplies the result',
      async (_, safety) => {
        const { agent, effects } = await interrupted({
          ...safety,
          reconcile: (_args, { toolCallId }) => ({ outcome: 'happened', result: { found: toolCallId } }),
        });
        const done = await agent.resume('order-7');
        expect(effects).toEqual(['b']);
        expect(resultOf(done?.messages ?? [], 'b')).toEqual({ found: 'b' });
      },
    );

    it.each(Object.entries(SAFETIES))(
      '%s: reconcile says that it did not happen, and the call runs',
      async (_, safety) => {
        const { agent, effects } = await interrupted({
          ...safety,
          reconcile: () => ({ outcome: 'not-happened' }),
        });
        const done = await agent.resume('order-7');
        expect(done?.finishReason).toBe('stop');
        expect(effects).toEqual(['b', 'b']);
        expect(resultOf(done?.messages ?? [], 'b')).toBe('b done');
      },
    );

    it.each<[string, () => unknown]>([
      ['unknown', () => ({ outcome: 'unknown' })],
      ['nonsense', () => ({ outcome: 'perhaps' })],
      ['nothing', () => undefined],
      ['a result that cannot be stored', () => ({ outcome: 'happened', result: () => 1 })],
      [
        'an error',
        () => {
          throw new Error('the bank is closed');
        },
      ],
      ['a rejection', () => Promise.reject(new Error('the bank is closed'))],
    ])('reconcile gives %s: an interrupted result, no second run', async (_, reconcile) => {
      const { agent, effects } = await interrupted({
        rerun: 'never',
        reconcile: reconcile as () => Reconciled,
      });
      const done = await agent.resume('order-7');
      expect(done?.finishReason).toBe('stop');
      expect(effects).toEqual(['b']);
      expect(resultOf(done?.messages ?? [], 'b')).toMatchObject({ kind: 'interrupted' });
    });

    it('reconcile sees, and a second run uses, what the person approved: the arguments as the hooks had made them', async () => {
      const { open } = newStorage();
      const life = mortal(open());
      const seen: unknown[] = [];
      const ran: unknown[] = [];
      const hooks = [
        {
          name: 'add the account',
          beforeToolCall: ({ args }: { args: unknown }) => ({
            input: { ...(args as object), account: 'savings' },
          }),
        },
      ];
      const pay = (execute: () => unknown) =>
        defineTool({
          name: 'pay',
          description: 'pay',
          input: z.looseObject({ amount: z.number() }),
          needsApproval: true,
          reconcile: (args, { approval }) => {
            seen.push([args, approval?.id]);
            return { outcome: 'not-happened' };
          },
          execute: (args) => {
            ran.push(args);
            return execute();
          },
        });
      const turns = [[{ id: 'p', tool: 'pay', args: { amount: 5 } }], 'done'];
      const first = workshop({ store: life.store, turns, hooks, tools: [pay(() => life.kill())] });
      const { approvalId = '' } = await first.agent.send('Go', SESSION);
      await rejection(first.agent.approvals.resolve({ id: approvalId, approved: true }));
      const second = workshop({ store: open(), turns, hooks, tools: [pay(() => 'paid')] });
      await second.agent.resume('order-7');
      const approved = { amount: 5, account: 'savings' };
      expect(seen).toEqual([[approved, approvalId]]);
      expect(ran).toEqual([approved, approved]);
    });

    it('after a crash a hook cannot change what was approved either', async () => {
      const { open } = newStorage();
      const life = mortal(open());
      const effects: string[] = [];
      const tool = (execute?: Execute) =>
        countingTool({
          name: 'b',
          effects,
          needsApproval: true,
          reconcile: () => ({ outcome: 'not-happened' }),
          ...(execute && { execute }),
        });
      const turns = [calls('b'), 'done'];
      const first = workshop({ store: life.store, turns, tools: [tool(() => life.kill())] });
      const { approvalId = '' } = await first.agent.send('Go', SESSION);
      await rejection(first.agent.approvals.resolve({ id: approvalId, approved: true }));
      const hooks = [{ name: 'late change', beforeToolCall: () => ({ input: { amount: 999 } }) }];
      const done = await workshop({ store: open(), turns, hooks, tools: [tool()] }).agent.resume('order-7');
      expect(effects).toEqual(['b']);
      expect(resultOf(done?.messages ?? [], 'b')).toMatchObject({ isError: true });
    });

    it.each(Object.entries(SAFETIES))(
      '%s: an abort of the resume does not claim that the interrupted call did not run',
      async (_, safety) => {
        const { agent, effects } = await interrupted(safety);
        const aborted = await agent.resume('order-7', { signal: AbortSignal.abort() });
        expect(aborted?.finishReason).toBe('aborted');
        const done = await agent.resume('order-7');
        expect(effects).toEqual(['b']);
        expect(resultOf(done?.messages ?? [], 'b')).toMatchObject({ kind: 'interrupted' });
      },
    );

    it('the start mark is durable before the tool runs, one call at a time', async () => {
      const store = newStorage().open();
      const marks: unknown[] = [];
      const note = async (_: unknown, { toolCallId }: ToolContext) => {
        const stored = await store.checkpoints.load('order-7');
        marks.push([toolCallId, stored?.status, stored?.startedToolCallIds?.includes(toolCallId)]);
      };
      const does = { b: note, c: note };
      const options = {
        store,
        turns: [calls('b', 'c'), 'done'],
        gated: ['b', 'c'],
        does,
        toolConcurrency: 1,
      };
      const { agent } = workshop(options);
      const { approvalIds = [] } = await agent.send('Go', SESSION);
      for (const id of approvalIds) await agent.approvals.resolve({ id, approved: true });
      expect(marks).toEqual([
        ['b', 'in-progress', true],
        ['c', 'in-progress', true],
      ]);
    });

    it('of two approved calls the one that had not started runs after the crash, the other one does not', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'], effects, toolConcurrency: 1 };
      const life = mortal(open());
      const first = workshop({ ...options, store: life.store, does: { b: () => life.kill() } });
      const { approvalIds = [] } = await first.agent.send('Go', SESSION);
      const outcomes = [];
      for (const id of approvalIds) {
        outcomes.push(await first.agent.approvals.resolve({ id, approved: true }).catch(() => 'died'));
      }
      expect(outcomes.at(-1)).toBe('died');
      const done = await workshop({ ...options, store: open() }).agent.resume('order-7');
      expect(effects).toEqual(['b', 'c']);
      expect(resultOf(done?.messages ?? [], 'b')).toMatchObject({ kind: 'interrupted' });
      expect(resultOf(done?.messages ?? [], 'c')).toBe('c done');
    });
  });
});
