import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { mortal } from '../approval/support/mortal.js';
import { resultOf } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';
import { type Member, task, team, usageOf } from './support/team.js';

const PAYER: Member = { turns: [calls('pay'), 'Paid.'], gated: ['pay'] };

const paying = (more: Partial<Parameters<typeof team>[0]> = {}, payer: Partial<Member> = {}) =>
  team({ turns: [[task('t1', 'payer')], 'Done.'], members: { payer: { ...PAYER, ...payer } }, ...more });

describe.each([false, true])('a sub-agent (durable: %s) whose call needs a person', (durable) => {
  onFullStores((newStorage) => {
    it('J2 pauses the lead with one record, and its call runs once when it is approved', async () => {
      const storage = newStorage();
      const store = storage.open();
      const first = paying({ store }, { durable });
      const paused = await first.lead.send('Pay', { sessionId: 's' });
      expect(paused.finishReason).toBe('awaiting-approval');
      expect(paused.usage).toEqual(usageOf(2, { runs: 1, modelCalls: 1 }));

      const listed = await first.lead.approvals.list();
      expect(listed).toEqual([
        expect.objectContaining({
          id: paused.approvalId,
          sessionId: 's',
          toolCallId: 'pay',
          toolName: 'pay',
          args: {},
          subagentPath: ['payer'],
        }),
      ]);
      const record = await store.approvals.load(paused.approvalId ?? '');
      expect(record?.snapshot.subagent).toMatchObject({
        toolCallId: 't1',
        toolName: 'task',
        taskId: 'task-1-0',
        agentName: 'payer',
        args: { agent: 'payer', prompt: 'Do payer', description: 'payer' },
        snapshot: { pendingToolCall: { id: 'pay' }, currentMessages: [{ content: 'Do payer' }, {}] },
      });
      expect(await first.lead.pending()).toEqual([
        expect.objectContaining({
          sessionId: 's',
          status: 'awaiting-approval',
          approvalId: paused.approvalId,
        }),
      ]);

      const second = paying({ store: storage.open() }, { durable });
      const result = await second.lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true });
      expect(result.text).toBe('Done.');
      expect(resultOf(result.messages, 't1')).toMatch(/^Paid\.\n\n\[steps: 2, finish reason: stop/);
      expect([first.effects, second.effects]).toEqual([[], ['pay']]);
      expect(result.usage).toEqual(usageOf(4, { runs: 1, modelCalls: 2 }));
      expect(second.models.payer?.requests).toHaveLength(1);
      expect(await idsOf(store)).toEqual(['s']);
      expect(await store.approvals.list()).toEqual([]);
    });

    it('B3 tells the sub-agent of a rejection with its note, and nothing runs', async () => {
      const store = newStorage().open();
      const { lead, effects, models } = paying({ store }, { durable });
      const paused = await lead.send('Pay', { sessionId: 's' });
      const result = await lead.approvals.resolve({
        id: paused.approvalId ?? '',
        approved: false,
        note: 'too dear',
      });
      expect([result.text, effects]).toEqual(['Done.', []]);
      expect(resultOf(models.payer?.requests.at(-1)?.messages ?? [], 'pay')).toMatchObject({
        kind: 'rejected',
        note: 'too dear',
      });
    });

    it('J2 pauses the lead again under a new id when it needs a person again', async () => {
      const store = newStorage().open();
      const twice = { turns: [calls('pay'), calls('tip'), 'Paid.'], gated: ['pay', 'tip'], durable };
      const { lead, effects } = paying({ store }, twice);
      const first = await lead.send('Pay', { sessionId: 's' });
      const second = await lead.approvals.resolve({ id: first.approvalId ?? '', approved: true });
      expect(second.finishReason).toBe('awaiting-approval');
      expect(second.approvalId).not.toBe(first.approvalId);
      expect(effects).toEqual(['pay']);
      const third = await lead.approvals.resolve({ id: second.approvalId ?? '', approved: true });
      expect([third.text, effects]).toEqual(['Done.', ['pay', 'tip']]);
      await expect(
        lead.approvals.resolve({ id: first.approvalId ?? '', approved: true }),
      ).rejects.toMatchObject({
        code: 'LOUSHO_APPROVAL_NOT_FOUND',
      });
    });

    it('B2 waits for every question of a turn, those of sub-agents and its own, in call order', async () => {
      const store = newStorage().open();
      const { lead, effects } = team({
        store,
        turns: [[task('t1', 'payer'), { id: 'sign' }, task('t2', 'tipper'), { id: 'look' }], 'Done.'],
        gated: ['sign'],
        open: ['look'],
        members: {
          payer: { ...PAYER, durable },
          tipper: { turns: [calls('tip'), 'Tipped.'], gated: ['tip'] },
        },
      });
      const paused = await lead.send('Pay', { sessionId: 's' });
      const listed = new Map((await lead.approvals.list()).map(({ id, toolName }) => [id, toolName]));
      expect(paused.approvalIds?.map((id) => listed.get(id))).toEqual(['pay', 'sign', 'tip']);
      expect(effects).toEqual(['look']);
      const [pay = '', sign = '', tip = ''] = paused.approvalIds ?? [];
      const still = await lead.approvals.resolve({ id: tip, approved: true });
      expect([still.finishReason, still.approvalIds, effects]).toEqual([
        'awaiting-approval',
        [pay, sign],
        ['look'],
      ]);
      await lead.approvals.resolve({ id: pay, approved: true });
      const result = await lead.approvals.resolve({ id: sign, approved: false });
      expect(result.text).toBe('Done.');
      expect(effects.toSorted()).toEqual(['look', 'pay', 'tip']);
      expect(await idsOf(store)).toEqual(['s']);
    });

    it('B11 whose process dies in the approved call is told that it was interrupted; the call does not run again', async () => {
      const storage = newStorage();
      const effects: string[] = [];
      const first = paying({ store: storage.open(), effects }, { durable });
      const paused = await first.lead.send('Pay', { sessionId: 's' });
      const life = mortal(storage.open());
      const dying = paying({ store: life.store, effects }, { durable, does: { pay: () => life.kill() } });
      await expect(
        dying.lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true }),
      ).rejects.toThrow();
      const second = paying({ store: storage.open(), effects }, { durable });
      expect(await second.lead.pending()).toEqual([
        expect.objectContaining({ sessionId: 's', status: 'in-progress' }),
      ]);
      const result = await second.lead.resume('s');
      expect([result?.text, effects]).toEqual(['Done.', ['pay']]);
      expect(resultOf(second.models.payer?.requests.at(-1)?.messages ?? [], 'pay')).toMatchObject({
        kind: 'interrupted',
      });
    });

    it('a question of a sub-agent is answered like one of the lead', async () => {
      const store = newStorage().open();
      const ask = { id: 'q1', tool: 'ask_question', args: { question: 'Which colour?' } };
      const { lead } = paying({ store }, { turns: [[ask], 'Blue it is.'], askQuestion: true, durable });
      const paused = await lead.send('Pay', { sessionId: 's' });
      expect((await lead.approvals.list())[0]).toMatchObject({
        kind: 'question',
        question: { text: 'Which colour?' },
        subagentPath: ['payer'],
      });
      const result = await lead.approvals.answer({ id: paused.approvalId ?? '', answer: 'blue' });
      expect(resultOf(result.messages, 't1')).toMatch(/^Blue it is\./);
    });

    it('asks through two levels: the record names both, the innermost call runs once', async () => {
      const store = newStorage().open();
      const { lead, effects } = team({
        store,
        maxSubagentDepth: 2,
        turns: [[task('t1', 'chief')], 'Done.'],
        members: {
          chief: {
            turns: [[task('t2', 'payer')], 'Chief is done.'],
            members: { payer: { ...PAYER, durable } },
            durable,
          },
        },
      });
      const paused = await lead.send('Pay', { sessionId: 's' });
      expect((await lead.approvals.list())[0]).toMatchObject({
        toolName: 'pay',
        subagentPath: ['chief', 'payer'],
      });
      const result = await lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true });
      expect([result.text, effects]).toEqual(['Done.', ['pay']]);
      expect(result.usage).toEqual(usageOf(6, { runs: 2, modelCalls: 4 }));
      expect(await idsOf(store)).toEqual(['s']);
    });

    it.each(['error', 'warn'] as const)(
      'G7 that was changed two levels down, with onAgentDrift %s',
      async (onAgentDrift) => {
        const store = newStorage().open();
        const chiefs = (instructions: string) =>
          team({
            store,
            onAgentDrift,
            maxSubagentDepth: 2,
            turns: [[task('t1', 'chief')], 'Done.'],
            members: {
              chief: {
                turns: [[task('t2', 'payer')], 'Chief is done.'],
                members: { payer: { ...PAYER, durable, instructions } },
                durable,
              },
            },
          });
        const before = chiefs('Be quick.');
        const paused = await before.lead.send('Pay', { sessionId: 's' });
        const stored = await store.checkpoints.load('s');
        const { lead, effects } = chiefs('Be slow.');
        const run = lead.approvals.streamResolve({ id: paused.approvalId ?? '', approved: true });
        if (onAgentDrift === 'warn') {
          const drifts: unknown[] = [];
          for await (const event of run) if (event.type === 'agent.drift') drifts.push(event);
          expect(drifts).toEqual([
            expect.objectContaining({
              instructions: true,
              subagent: { path: ['chief', 'payer'], taskId: 'task-1-0' },
            }),
          ]);
          expect(effects).toEqual(['pay']);
          return;
        }
        await expect(run.result).rejects.toMatchObject({ code: 'LOUSHO_AGENT_DRIFT' });
        expect(effects).toEqual([]);
        expect(await store.checkpoints.load('s')).toEqual(stored);
        const result = await before.lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true });
        expect([result.text, before.effects]).toEqual(['Done.', ['pay']]);
      },
    );

    it('G6 whose tool has gone is refused with LOUSHO_RESUME_TOOL_MISSING, the approval still pending', async () => {
      const store = newStorage().open();
      const { lead } = paying({ store }, { durable });
      const paused = await lead.send('Pay', { sessionId: 's' });
      const without = paying({ store }, { durable, gated: [] });
      await expect(
        without.lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true }),
      ).rejects.toMatchObject({ code: 'LOUSHO_RESUME_TOOL_MISSING' });
      const result = await lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true });
      expect(result.text).toBe('Done.');
    });

    it('C14 a fork of the paused lead asks again, under a new id', async () => {
      const store = newStorage().open();
      const { lead, effects } = paying({ store }, { durable });
      const paused = await lead.send('Pay', { sessionId: 's' });
      const fork = await lead.fork('s', { fromStep: 1 });
      const again = await lead.resume(fork.sessionId);
      expect(again?.finishReason).toBe('awaiting-approval');
      expect(again?.approvalId).not.toBe(paused.approvalId);
      await lead.approvals.resolve({ id: again?.approvalId ?? '', approved: true });
      await lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true });
      expect(effects).toEqual(['pay', 'pay']);
    });
  });
});

describe('without a session id', () => {
  it('the approval alone keeps the lead and its sub-agents', async () => {
    const store = memoryStore();
    const first = paying({ store });
    const paused = await first.lead.send('Pay');
    const second = paying({ store });
    const result = await second.lead.approvals.resolve({ id: paused.approvalId ?? '', approved: true });
    expect([result.text, first.effects, second.effects]).toEqual(['Done.', [], ['pay']]);
    expect(result.usage).toEqual(usageOf(4, { runs: 1, modelCalls: 2 }));
  });

  it('a sub-agent that needs a person rejects with LOUSHO_APPROVAL_STORE_MISSING where there is no place to ask', async () => {
    await expect(paying().lead.send('Pay')).rejects.toMatchObject({ code: 'LOUSHO_APPROVAL_STORE_MISSING' });
  });
});

async function idsOf(store: FullStore): Promise<string[]> {
  return (await store.checkpoints.list()).map(({ sessionId }) => sessionId);
}
