import { type AgentContext, AgentExecutor, type Checkpoint } from '@lousho/core';
import { describe, expect, it, vi } from 'vitest';
import { resultOf, roles } from '../approval/support/results.js';
import { calls, scriptedModel, type Turn } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { diesAtSave } from '../session/support/mortal-view.js';
import { codeOf, rejection } from '../support/rejections.js';
import { AS_BILLING, type DeskOptions, desk, TRANSFER, told } from './support/desk.js';

const RUN = { sessionId: 'run' };
const BACK: Turn = [{ id: 'back', tool: 'transfer_to_triage' }];

/** A turn that makes a transfer beside other calls. */
const beside = (...ids: readonly string[]): Turn => [
  ...(TRANSFER as ReturnType<typeof calls>),
  ...calls(...ids),
];

describe('a run that was handed over', () => {
  onFullStores((newStorage) => {
    /** A run whose process dies before its `n`-th save, and a process that comes after it. */
    async function diesBefore(n: number, options: DeskOptions) {
      const { open } = newStorage();
      const first = desk({ ...options, store: diesAtSave(open(), n) });
      await first.triage.send('Go', { ...RUN, metadata: { tier: 'pro' } }).catch(() => undefined);
      return {
        open,
        first,
        start: (changed: Partial<DeskOptions> = {}) => desk({ ...options, ...changed, store: open() }),
      };
    }

    it('J4 that crashed is resumed as the target, compared with the target', async () => {
      const warn = vi.fn();
      const { first, start } = await diesBefore(4, {
        turns: [TRANSFER, calls('b'), 'done'],
        onAgentDrift: 'error',
        ports: { logger: { warn } },
      });
      expect(first.order).toEqual(['triage', 'billing']);
      const second = start();
      warn.mockClear();
      expect(await second.triage.resume('run')).toMatchObject({ text: 'done', agentName: 'billing' });
      expect(second.order).toEqual(['billing']);
      expect(second.effects).toEqual(['b']);
      expect(told(second.asked.billing)).toEqual([AS_BILLING]);
      expect(warn).not.toHaveBeenCalled();
    });

    it('J4 that crashed before the handoff was saved is with the lead, and is handed over once more', async () => {
      const { first, start } = await diesBefore(2, { turns: [TRANSFER, 'done'] });
      expect(first.order).toEqual(['triage']);
      const second = start();
      const result = await second.triage.resume('run');
      expect(second.order).toEqual(['billing']);
      expect(roles(result?.messages ?? [])).toBe('system user assistant(h) tool(h) assistant');
    });

    it('J4 that crashed between a tool of the lead and the handoff runs neither twice', async () => {
      const { first, start } = await diesBefore(3, { turns: [beside('a'), 'done'] });
      expect(first.effects).toEqual(['a']);
      const second = start();
      await second.triage.resume('run');
      expect([second.effects, second.order]).toEqual([[], ['billing']]);
    });

    it('J4 that is sent to again goes on as the target; recover() and a session turn do as well', async () => {
      const options = { turns: [TRANSFER, calls('b'), 'done', 'more'] };
      const { start } = await diesBefore(4, options);
      const second = start();
      const { messages } = await second.triage.send('And this', RUN);
      expect(second.order).toEqual(['billing']);
      expect(roles(messages)).toBe('system user assistant(h) tool(h) assistant(b) tool(b) user assistant');

      const { open } = newStorage();
      const dying = desk({ ...options, store: diesAtSave(open(), 4) });
      await dying.triage
        .session({ id: 'chat' })
        .send('Go')
        .catch(() => undefined);
      const later = desk({ ...options, store: open() });
      const recovered: unknown[] = [];
      const recovery = later.triage.recover({
        intervalMs: 5,
        onRecovered: (run, result) => void recovered.push([run.sessionId, result.agentName]),
      });
      await expect.poll(() => recovered).toEqual([['chat', 'billing']]);
      await recovery.stop();
      expect(later.order).toEqual(['billing']);
    });

    it('3.9 the limit counts from zero when a run is resumed', async () => {
      const options = { turns: [TRANSFER, BACK, 'done'], maxHandoffs: 1 };
      const undisturbed = desk({ ...options, store: newStorage().open() });
      expect(await undisturbed.triage.send('Go', RUN)).toMatchObject({ agentName: 'billing' });
      const { first, start } = await diesBefore(3, options);
      expect(first.order).toEqual(['triage', 'billing']);
      const second = start();
      expect(await second.triage.resume('run')).toMatchObject({ text: 'done', agentName: 'triage' });
      expect(second.order).toEqual(['billing', 'triage']);
    });

    it('drift: a changed target counts, a changed lead does not', async () => {
      const { open, start } = await diesBefore(4, {
        turns: [TRANSFER, calls('b'), 'done'],
        onAgentDrift: 'error',
      });
      const before = await open().checkpoints.load('run');
      const changed = start({ billing: { instructions: 'You know everything.' } });
      expect((await rejection(changed.triage.resume('run'))).detail).toMatch(/agent billing .*instructions/);
      expect(await open().checkpoints.load('run')).toEqual(before);
      expect(changed.order).toEqual([]);
      const { triage } = start({ instructions: 'You sort well.', model: 'model-x', tools: [] });
      expect((await triage.resume('run'))?.text).toBe('done');
    });

    it('drift: the model sees the instructions that the target has today', async () => {
      const { start } = await diesBefore(4, { turns: [TRANSFER, calls('b'), 'done'] });
      const second = start({ billing: { instructions: 'You know everything.' } });
      await second.triage.resume('run');
      expect(told(second.asked.billing)).toEqual([{ ...AS_BILLING, system: 'You know everything.' }]);
    });

    it('drift: the record says what the target was when it went on, so that a change is told once', async () => {
      const turns = [TRANSFER, calls('b'), calls('b'), 'done'];
      const { open, start } = await diesBefore(4, { turns });
      const warn = vi.fn();
      const changed = {
        turns,
        billing: { instructions: 'You know everything.' },
        ports: { logger: { warn } },
      };
      await desk({ ...changed, store: diesAtSave(open(), 3) })
        .triage.resume('run')
        .catch(() => undefined);
      expect(warn.mock.calls.map(([message]) => message).join()).toContain('instructions changed');
      warn.mockClear();
      expect((await start(changed).triage.resume('run'))?.text).toBe('done');
      expect(warn).not.toHaveBeenCalled();
    });

    it('J4 a crashed run behind one that was handed over is with the lead, compared with the lead', async () => {
      const { open } = newStorage();
      const options = { turns: [TRANSFER, 'one', calls('a'), 'two'], onAgentDrift: 'error' as const };
      await desk({ ...options, store: open() }).triage.send('Go', RUN);
      const dying = desk({ ...options, store: diesAtSave(open(), 2) });
      await dying.triage.send('More', RUN).catch(() => undefined);
      const third = desk({ ...options, store: open() });
      expect((await third.triage.resume('run'))?.text).toBe('two');
      expect(third.order).toEqual(['triage']);
    });

    it('G6 a target that has gone is refused before anything runs, the checkpoint as it was', async () => {
      const { open, start } = await diesBefore(4, { turns: [TRANSFER, calls('b'), 'done'] });
      const before = await open().checkpoints.load('run');
      const renamed = start({ billing: { name: 'accounts' } });
      const error = await rejection(renamed.triage.resume('run'));
      expect(error).toMatchObject({ code: 'LOUSHO_RESUME_TOOL_MISSING' });
      expect(error.detail).toContain('billing');
      expect(await open().checkpoints.load('run')).toEqual(before);
      expect(renamed.order).toEqual([]);
      // Another name of the transfer alone is no matter.
      expect((await start({ transfer: { toolName: 'escalate' } }).triage.resume('run'))?.text).toBe('done');
    });

    it('G6 a transfer that is pending and has gone is refused as any tool', async () => {
      const { start } = await diesBefore(2, { turns: [TRANSFER, 'done'] });
      const renamed = start({ transfer: { toolName: 'escalate' } });
      expect(await codeOf(renamed.triage.resume('run'))).toBe('LOUSHO_RESUME_TOOL_MISSING');
    });

    it('J4 a handoff beside a gated call waits until that is decided', async () => {
      const { open } = newStorage();
      const options = { turns: [beside('gated', 'a'), 'done'] };
      const first = desk({ ...options, store: open() });
      const paused = await first.triage.send('Go', RUN);
      expect(paused).toMatchObject({ finishReason: 'awaiting-approval', approvalIds: [paused.approvalId] });
      expect(paused.agentName).toBeUndefined();
      expect(first.effects).toEqual(['a']);
      const { approvals } = open();
      const record = await approvals.load(paused.approvalId as string);
      expect(record?.snapshot.remainingToolCalls?.map(({ id }) => id)).toEqual(['h']);

      const second = desk({ ...options, store: open() });
      const done = await second.triage.approvals.resolve({ id: paused.approvalId as string, approved: true });
      expect(done).toMatchObject({ text: 'done', agentName: 'billing' });
      expect([second.effects, second.order]).toEqual([['gated'], ['billing']]);
      expect(roles(done.messages)).toBe(
        'system user assistant(h,gated,a) tool(h) tool(gated) tool(a) assistant',
      );
    });

    it('J4 it is made also when the gated call beside it is rejected', async () => {
      const { triage, order, effects } = desk({
        turns: [beside('gated'), 'done'],
        store: newStorage().open(),
      });
      const { approvalId = '' } = await triage.send('Go', RUN);
      const { messages } = await triage.approvals.resolve({ id: approvalId, approved: false });
      expect(resultOf(messages, 'gated')).toMatchObject({ kind: 'rejected' });
      expect([effects, order]).toEqual([[], ['triage', 'billing']]);
    });

    it('B5 a handoff that needs approval asks when the rest is decided: a new id, and no model call', async () => {
      const { triage, order, effects } = desk({
        turns: [beside('gated'), 'done'],
        transfer: { needsApproval: true },
        store: newStorage().open(),
      });
      const first = await triage.send('Go', RUN);
      expect(await triage.approvals.list()).toMatchObject([{ toolCallId: 'gated' }]);
      const second = await triage.approvals.resolve({ id: first.approvalId as string, approved: true });
      expect(second.finishReason).toBe('awaiting-approval');
      expect(second.approvalId).not.toBe(first.approvalId);
      expect(await triage.approvals.list()).toMatchObject([
        { toolCallId: 'h', toolName: 'transfer_to_billing', args: { reason: 'a bill' } },
      ]);
      expect([effects, order]).toEqual([['gated'], ['triage']]);
      const third = await triage.approvals.resolve({ id: second.approvalId as string, approved: true });
      expect(third).toMatchObject({ text: 'done', agentName: 'billing' });
      expect(order).toEqual(['triage', 'billing']);
    });

    it('a handoff that a person refuses leaves the run with the lead', async () => {
      const options = { turns: [TRANSFER, 'done'], transfer: { needsApproval: true } };
      const { triage, order } = desk({ ...options, store: newStorage().open() });
      const { approvalId = '' } = await triage.send('Go', RUN);
      const result = await triage.approvals.resolve({ id: approvalId, approved: false, note: 'not yet' });
      expect(resultOf(result.messages, 'h')).toMatchObject({ kind: 'rejected', note: 'not yet' });
      expect([order, result.agentName]).toEqual([['triage', 'triage'], undefined]);
    });

    it('a handoff that was approved is made also when the process dies on the way', async () => {
      const { open } = newStorage();
      const options = { turns: [TRANSFER, 'done'], transfer: { needsApproval: true } };
      const { approvalId = '' } = await desk({ ...options, store: open() }).triage.send('Go', RUN);
      const dying = desk({ ...options, store: diesAtSave(open(), 1) });
      await dying.triage.approvals.resolve({ id: approvalId, approved: true }).catch(() => undefined);
      expect(dying.order).toEqual([]);
      const third = desk({ ...options, store: open() });
      const result = await third.triage.resume('run');
      expect(result).toMatchObject({ text: 'done', agentName: 'billing' });
      expect(resultOf(result?.messages ?? [], 'h')).toBe('Transferred to billing.');
    });

    it('a pause of the target is decided in another process, which goes on as the target', async () => {
      const { open } = newStorage();
      const options = { turns: [TRANSFER, calls('refund'), 'done'], onAgentDrift: 'error' as const };
      const { approvalId = '' } = await desk({ ...options, store: open() }).triage.send('Go', RUN);
      const second = desk({ ...options, store: open() });
      const done = await second.triage.approvals.resolve({ id: approvalId, approved: true });
      expect(done).toMatchObject({ text: 'done', agentName: 'billing' });
      expect([second.effects, second.order]).toEqual([['refund'], ['billing']]);
      expect(told(second.asked.billing)).toEqual([AS_BILLING]);
    });

    it('a pause of the target in a run without a session id goes on from its snapshot', async () => {
      const { open } = newStorage();
      const options = { turns: [TRANSFER, calls('refund'), 'done'], onAgentDrift: 'error' as const };
      const { approvalId = '' } = await desk({ ...options, store: open() }).triage.send('Go');
      const second = desk({ ...options, store: open() });
      const done = await second.triage.approvals.resolve({ id: approvalId, approved: true });
      expect([done.text, second.effects, second.order]).toEqual(['done', ['refund'], ['billing']]);
    });

    it('a fork goes on with whoever acted at its step; another result of the transfer does not undo it', async () => {
      const { open } = newStorage();
      const { triage, order } = desk({
        turns: [calls('a'), TRANSFER, calls('b'), 'done'],
        store: open(),
        onAgentDrift: 'error',
      });
      await triage.send('Go', RUN);
      order.length = 0;
      const early = await triage.fork('run', { fromStep: 1 });
      await triage.resume(early.sessionId);
      expect(order).toEqual(['triage', 'billing', 'billing']);
      order.length = 0;
      const late = await triage.fork('run', {
        fromStep: 2,
        patch: { toolResult: { toolCallId: 'h', result: 'They are in a hurry.' } },
      });
      const result = await triage.resume(late.sessionId);
      expect(order).toEqual(['billing', 'billing']);
      expect(resultOf(result?.messages ?? [], 'h')).toBe('They are in a hurry.');
    });

    it('a fork whose transcript is rewritten goes on with whoever acts in it, and is not compared with another agent', async () => {
      const { triage, order } = desk({
        turns: [TRANSFER, calls('b'), 'done'],
        store: newStorage().open(),
        onAgentDrift: 'error',
      });
      await triage.send('Go', RUN);
      order.length = 0;
      const undone = await triage.fork('run', {
        fromStep: 2,
        patch: { messages: (messages) => messages.slice(0, 2) },
      });
      expect((await triage.resume(undone.sessionId))?.text).toBe('done');
      expect(order).toEqual(['triage', 'billing', 'billing']);
      const kept = await triage.fork('run', {
        fromStep: 2,
        patch: { messages: (messages) => messages.map((message) => ({ ...message })) },
      });
      expect(kept.checkpoint.agentFingerprint?.tools).toHaveProperty('refund');
    });

    it('3.13 a dynamic target is asked once per run, with what the lead was asked with; its model is kept', async () => {
      const contexts: AgentContext[] = [];
      const { open } = newStorage();
      const options: DeskOptions = {
        turns: [TRANSFER, BACK, TRANSFER, calls('b'), 'done'],
        billing: {
          model: (context) => {
            contexts.push(context);
            return `model-${context.metadata?.tier}`;
          },
          instructions: ({ metadata }) => `For a ${metadata?.tier} customer.`,
        },
        onAgentDrift: 'error',
      };
      const first = desk({ ...options, store: diesAtSave(open(), 8) });
      await first.triage.send('Go', { ...RUN, metadata: { tier: 'pro' } }).catch(() => undefined);
      expect(contexts).toEqual([{ sessionId: 'run', input: 'Go', metadata: { tier: 'pro' } }]);
      const { messages } = (await open().checkpoints.load('run')) as Checkpoint;
      expect(messages.flatMap(({ metadata }) => (metadata ? [metadata.handoff] : []))).toEqual([
        { from: 'triage', to: 'billing', model: 'model-pro' },
        { from: 'billing', to: 'triage' },
        { from: 'triage', to: 'billing', model: 'model-pro' },
      ]);
      contexts.length = 0;
      const second = desk({ ...options, store: open() });
      await second.triage.resume('run');
      expect(contexts).toEqual([]);
      expect(told(second.asked.billing)).toMatchObject([
        { model: 'model-pro', system: 'For a pro customer.' },
      ]);
    });

    it('3.13 a target that cannot be asked fails the run, which can be resumed', async () => {
      const store = newStorage().open();
      let isDown = true;
      const tools = async () => {
        if (isDown) throw new Error('down');
        return [];
      };
      const { triage, order } = desk({ turns: [TRANSFER, 'done'], billing: { tools }, store });
      expect(await codeOf(triage.send('Go', RUN))).toBe('LOUSHO_CONFIG_RESOLVER_FAILED');
      expect(await store.checkpoints.load('run')).toMatchObject({
        status: 'in-progress',
        lastError: { code: 'LOUSHO_CONFIG_RESOLVER_FAILED', retryable: true },
      });
      isDown = false;
      expect((await triage.resume('run'))?.agentName).toBe('billing');
      expect(order).toEqual(['triage', 'billing']);
    });

    it('a resumed stream says who goes on', async () => {
      const { start } = await diesBefore(4, { turns: [TRANSFER, calls('b'), 'done'] });
      for await (const event of start().triage.stream([], RUN)) {
        if (event.type === 'run.start')
          expect(event).toMatchObject({ agentName: 'billing', agentId: 'agent-b', resumed: true });
      }
    });
  });

  it('the executor refuses wrong handoffs before anything runs', () => {
    const provider = scriptedModel([]);
    const start = (handoffs: unknown) => () =>
      AgentExecutor.stream({ agent: { name: 'triage', handoffs: handoffs as never }, input: 'Go', provider });
    const billing = { agent: { name: 'billing' } };
    for (const wrong of [
      'billing',
      [null],
      [{ agent: { name: 'triage' } }],
      [billing, billing],
      [{ ...billing, to: 1 }],
    ])
      expect(start(wrong)).toThrow(expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID' }));
  });

  it('the executor hands over as well; a target without a provider has that of the lead', async () => {
    const provider = scriptedModel([TRANSFER, 'done']);
    const result = await AgentExecutor.execute({
      agent: { name: 'triage', handoffs: [{ agent: { name: 'billing', prompt: 'You know bills.' } }] },
      input: 'Go',
      provider,
      maxHandoffs: 1,
    });
    expect(result).toMatchObject({ text: 'done', agentName: 'billing' });
    expect(provider.requests[1]?.messages[0]?.content).toBe('You know bills.');
  });
});
