import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';
import { together } from '../harness/together.js';
import { codeOf, rejection } from '../support/rejections.js';
import { resultOf, roles } from './support/results.js';
import { calls, workshop } from './support/workshop.js';

const SESSION = { sessionId: 'order-7' };

describe('a batch in which calls need approval', () => {
  onFullStores((newStorage) => {
    it('B1 the calls beside a gated one run before the pause, the gated one after it, results in call order', async () => {
      const store = newStorage().open();
      const options = { store, turns: [calls('a', 'b', 'c'), 'done'], gated: ['b'], open: ['a', 'c'] };
      const { agent, effects, model } = workshop(options);
      const paused = await agent.send('Go', SESSION);
      expect(paused.finishReason).toBe('awaiting-approval');
      expect(effects.toSorted()).toEqual(['a', 'c']);
      const listed = await agent.approvals.list();
      expect(listed.map(({ toolCallId }) => toolCallId)).toEqual(['b']);
      expect(paused.approvalIds).toEqual([listed[0]?.id]);
      expect(model.requests).toHaveLength(1);

      const done = await agent.approvals.resolve({ id: paused.approvalId as string, approved: true });
      expect(done).toMatchObject({ finishReason: 'stop', text: 'done' });
      expect(effects.toSorted()).toEqual(['a', 'b', 'c']);
      expect(roles(done.messages)).toBe('user assistant(a,b,c) tool(a) tool(b) tool(c) assistant');
      expect(model.requests).toHaveLength(2);
    });

    it('B2 two gated calls are one pause with two records; one decision keeps it, the last one goes on', async () => {
      const store = newStorage().open();
      const turns = [calls('a', 'b', 'c', 'd'), 'done'];
      const { agent, effects, model } = workshop({ store, turns, gated: ['b', 'd'], open: ['a', 'c'] });
      const paused = await agent.send('Go', SESSION);
      const byCall = new Map((await agent.approvals.list()).map((one) => [one.toolCallId, one.id]));
      const [b, d] = [byCall.get('b') as string, byCall.get('d') as string];
      expect(paused).toMatchObject({ approvalId: b, approvalIds: [b, d] });

      const still = await agent.approvals.resolve({ id: b, approved: true });
      expect(still).toMatchObject({ finishReason: 'awaiting-approval', approvalId: d, approvalIds: [d] });
      expect(model.requests).toHaveLength(1);
      expect(effects).not.toContain('b');
      expect(await store.checkpoints.load('order-7')).toMatchObject({
        status: 'awaiting-approval',
        approvalId: d,
        approvalIds: [d],
      });

      const done = await agent.approvals.resolve({ id: d, approved: true });
      expect(done.finishReason).toBe('stop');
      expect(effects.slice(2)).toEqual(['b', 'd']);
      expect(roles(done.messages)).toBe('user assistant(a,b,c,d) tool(a) tool(b) tool(c) tool(d) assistant');
    });

    it('B2 the last call may be decided first', async () => {
      const store = newStorage().open();
      const { agent, effects } = workshop({ store, turns: [calls('b', 'd'), 'done'], gated: ['b', 'd'] });
      const { approvalIds = [] } = await agent.send('Go', SESSION);
      const [b, d] = approvalIds as [string, string];
      expect(await agent.approvals.resolve({ id: d, approved: true })).toMatchObject({
        finishReason: 'awaiting-approval',
        approvalIds: [b],
      });
      const done = await agent.approvals.resolve({ id: b, approved: false });
      expect(effects).toEqual(['d']);
      expect(roles(done.messages)).toBe('user assistant(b,d) tool(b) tool(d) assistant');
    });

    it('B3 a rejected call gets a rejection with its note, and does not touch the others', async () => {
      const store = newStorage().open();
      const turns = [calls('a', 'b'), 'done'];
      const { agent, effects } = workshop({ store, turns, gated: ['b'], open: ['a'] });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const decision = { id: approvalId, approved: false, note: 'too expensive' };
      const { messages } = await agent.approvals.resolve(decision);
      expect(effects).toEqual(['a']);
      expect(resultOf(messages, 'a')).toBe('a done');
      expect(resultOf(messages, 'b')).toMatchObject({
        kind: 'rejected',
        note: 'too expensive',
        toolName: 'b',
        isError: true,
      });
    });

    it('B4 a call beside the gated one with invalid arguments has its validation error in call order', async () => {
      const store = newStorage().open();
      const turns = [[{ id: 'b' }, { id: 'c', args: '{"n":' }], 'done'];
      const { agent, effects } = workshop({ store, turns, gated: ['b', 'c'] });
      const { approvalIds = [] } = await agent.send('Go', SESSION);
      expect(approvalIds).toHaveLength(1);
      const { messages } = await agent.approvals.resolve({ id: approvalIds[0] as string, approved: true });
      expect(effects).toEqual(['b']);
      expect(roles(messages)).toBe('user assistant(b,c) tool(b) tool(c) assistant');
      expect(resultOf(messages, 'c')).toMatchObject({ kind: 'validation', isError: true });
    });

    it('B4 a remaining call that is no part of the pause (as steered ones are) is validated after it', async () => {
      const store = newStorage().open();
      const turns = [[{ id: 'b' }, { id: 'c' }], 'done'];
      const { agent } = workshop({ store, turns, gated: ['b', 'c'] });
      const { approvalIds = [] } = await agent.send('Go', SESSION);
      await forgetCall(store, 'c', { arguments: '[not json' });
      const { messages, finishReason } = await agent.approvals.resolve({
        id: approvalIds[0] as string,
        approved: true,
      });
      expect(finishReason).toBe('stop');
      expect(roles(messages)).toBe('user assistant(b,c) tool(b) tool(c) assistant');
      expect(resultOf(messages, 'c')).toMatchObject({ kind: 'validation', isError: true });
    });

    it('B5 a remaining call that is gated (as steered ones are) pauses again under a new id, without a model call', async () => {
      const store = newStorage().open();
      const turns = [calls('b', 'c'), 'done'];
      const { agent, effects, model } = workshop({ store, turns, gated: ['b', 'c'] });
      const { approvalIds = [] } = await agent.send('Go', SESSION);
      await forgetCall(store, 'c');
      const again = await agent.approvals.resolve({ id: approvalIds[0] as string, approved: true });
      expect(again.finishReason).toBe('awaiting-approval');
      expect(approvalIds).not.toContain(again.approvalId);
      expect(effects).toEqual(['b']);
      expect(model.requests).toHaveLength(1);
      expect((await agent.approvals.list()).map(({ id }) => id)).toEqual([again.approvalId]);
      const done = await agent.approvals.resolve({ id: again.approvalId as string, approved: true });
      expect(done.finishReason).toBe('stop');
      expect(effects).toEqual(['b', 'c']);
      expect(transcriptFaults(done.messages)).toEqual([]);
    });

    it('B6 a snapshot without remainingToolCalls: the later calls do not run, each gets a not-run result', async () => {
      const store = newStorage().open();
      const turns = [calls('b', 'c', 'd'), 'done'];
      const { agent, effects } = workshop({ store, turns, gated: ['b', 'c', 'd'] });
      const { approvalIds = [] } = await agent.send('Go', SESSION);
      const [b, c, d] = approvalIds as [string, string, string];
      for (const id of [c, d]) await store.approvals.delete(id);
      const { approval, snapshot } = (await store.approvals.load(b)) ?? fail();
      const { remainingToolCalls: _, run: __, ...older } = snapshot;
      await store.approvals.save(approval, { ...older, steps: 1 });
      const stored = (await store.checkpoints.load('order-7')) ?? fail();
      const { pausedCalls: ___, approvalIds: ____, ...before } = stored;
      await store.checkpoints.save('order-7', { ...before, approvalId: b });

      const { messages, finishReason } = await agent.approvals.resolve({ id: b, approved: true });
      expect(finishReason).toBe('stop');
      expect(effects).toEqual(['b']);
      expect(roles(messages)).toBe('user assistant(b,c,d) tool(b) tool(c) tool(d) assistant');
      expect(resultOf(messages, 'c')).toMatchObject({ kind: 'not-run', isError: true });
      expect(resultOf(messages, 'd')).toMatchObject({ kind: 'not-run', isError: true });
    });

    it('B7 new input while paused: refused with the approval, no model and no tool is called', async () => {
      const store = newStorage().open();
      const { agent, effects, model } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const { approvalId } = await agent.send('Go', SESSION);
      const error = await rejection(agent.send('Faster!', SESSION));
      expect(error).toMatchObject({
        name: 'SessionAwaitingApprovalError',
        code: 'LOUSHO_SESSION_AWAITING_APPROVAL',
        sessionId: 'order-7',
        checkpointId: 'order-7',
        approvalId,
      });
      expect(await codeOf(agent.stream('Faster!', SESSION).result)).toBe('LOUSHO_SESSION_AWAITING_APPROVAL');
      expect(await codeOf(agent.resume('order-7'))).toBe('LOUSHO_SESSION_AWAITING_APPROVAL');
      expect([effects.length, model.requests.length]).toEqual([0, 1]);
      expect((await store.checkpoints.load('order-7'))?.status).toBe('awaiting-approval');
    });

    it('8 parallel gated calls, every second approved, at once and in random order: exactly those run', async () => {
      const store = newStorage().open();
      const ids = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];
      for (const isAtOnce of [true, false]) {
        const sessionId = isAtOnce ? 'at-once' : 'shuffled';
        const { agent, effects } = workshop({ store, turns: [calls(...ids), 'done'], gated: ids });
        const { approvalIds = [] } = await agent.send('Go', { sessionId });
        expect(new Set(approvalIds).size).toBe(8);
        const decisions = approvalIds.map((id, index) => ({ id, approved: index % 2 === 0 }));
        const order = [5, 2, 7, 0, 3, 6, 1, 4].map((index) => decisions[index] ?? fail());
        const results: Awaited<ReturnType<typeof agent.send>>[] = [];
        if (isAtOnce) {
          results.push(
            ...(await together(
              store,
              order.map((decision) => () => agent.approvals.resolve(decision)),
            )),
          );
        } else for (const decision of order) results.push(await agent.approvals.resolve(decision));
        const ended = results.filter(({ finishReason }) => finishReason === 'stop');
        expect(ended).toHaveLength(1);
        expect(effects.toSorted()).toEqual(['c0', 'c2', 'c4', 'c6']);
        expect(roles(ended[0]?.messages ?? [])).toBe(
          `user assistant(${ids.join(',')}) ${ids.map((id) => `tool(${id})`).join(' ')} assistant`,
        );
        for (const [index, id] of ids.entries()) {
          const result = resultOf(ended[0]?.messages ?? [], id);
          if (index % 2 === 0) expect(result).toBe(`${id} done`);
          else expect(result).toMatchObject({ kind: 'rejected' });
        }
        expect(await agent.approvals.list()).toEqual([]);
      }
    });
  });
});

/** Makes a paused call one that merely has no result yet, and that nobody was asked about. */
async function forgetCall(
  { checkpoints, approvals }: FullStore,
  callId: string,
  changed: { arguments?: string } = {},
): Promise<void> {
  const stored = (await checkpoints.load('order-7')) ?? fail();
  const forgotten = stored.pausedCalls?.find((call) => call.toolCallId === callId);
  await approvals.delete(forgotten?.approvalId ?? fail());
  const pausedCalls = stored.pausedCalls?.filter((call) => call.toolCallId !== callId) ?? [];
  const messages = stored.messages.map((message) => ({
    ...message,
    ...(message.toolCalls && {
      toolCalls: message.toolCalls.map((call) =>
        call.id === callId ? { ...call, function: { ...call.function, ...changed } } : call,
      ),
    }),
  }));
  await checkpoints.save('order-7', {
    ...stored,
    messages,
    pausedCalls,
    approvalIds: pausedCalls.map((call) => call.approvalId),
  });
}

function fail(): never {
  throw new Error('expected a record');
}
