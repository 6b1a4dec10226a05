import { PropagatingToolError, resumeAfterApproval, ToolRegistry } from '@lousho/core';
import { virtualTimers } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { onFullStores } from '../harness/on-stores.js';
import { together } from '../harness/together.js';
import { codeOf, rejection } from '../support/rejections.js';
import { mortal, nth } from './support/mortal.js';
import { resultOf, roles } from './support/results.js';
import { drive } from './support/time.js';
import { calls, countingTool, scriptedModel, workshop } from './support/workshop.js';

const SESSION = { sessionId: 'order-7' };

describe('deciding', () => {
  onFullStores((newStorage) => {
    it('B8 a second decision is refused as decided; of concurrent ones exactly one runs', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
      const first = workshop({ ...options, store: open() });
      const second = workshop({ ...options, store: open() });
      const { approvalId = '' } = await first.agent.send('Go', SESSION);
      const tries = [first, second, first, second].map(
        ({ agent }) =>
          () =>
            codeOf(agent.approvals.resolve({ id: approvalId, approved: true })),
      );
      const codes = await together(open(), tries);
      expect(codes.filter((code) => code === 'none')).toHaveLength(1);
      for (const code of codes)
        expect(['none', 'LOUSHO_APPROVAL_NOT_FOUND', 'LOUSHO_SESSION_BUSY']).toContain(code);
      expect(effects).toEqual(['b']);
      const late = await rejection(second.agent.approvals.resolve({ id: approvalId, approved: false }));
      expect(late).toMatchObject({ code: 'LOUSHO_APPROVAL_NOT_FOUND' });
      expect(late.detail).toContain('already decided');
      expect(effects).toEqual(['b']);
    });

    it('B8 an unknown approval is not found, and the message says which of both it is', async () => {
      const { agent } = workshop({ store: newStorage().open(), turns: [] });
      const error = await rejection(agent.approvals.resolve({ id: 'nobody', approved: true }));
      expect(error).toMatchObject({ code: 'LOUSHO_APPROVAL_NOT_FOUND' });
      expect(error.detail).not.toContain('already decided');
      expect(await codeOf(agent.approvals.resolve({ id: 'bogus id!', approved: true }))).toBe(
        'LOUSHO_APPROVAL_NOT_FOUND',
      );
    });

    it('B9 an approved call that throws has an execution error as its result', async () => {
      const store = newStorage().open();
      const does = {
        b: () => {
          throw new RangeError('the card was declined');
        },
      };
      const { agent } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'], does });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const done = await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(done.finishReason).toBe('stop');
      expect(resultOf(done.messages, 'b')).toMatchObject({
        kind: 'execution',
        error: 'RangeError',
        message: 'the card was declined',
        isError: true,
      });
    });

    it('B9 an approved call that throws a PropagatingToolError rejects with it, and never runs again', async () => {
      const store = newStorage().open();
      const fault = new PropagatingToolError('stop everything');
      const does = {
        b: () => {
          throw fault;
        },
      };
      const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'], does });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      expect(await rejection(agent.approvals.resolve({ id: approvalId, approved: true }))).toBe(fault);
      expect(await agent.pending()).toMatchObject([{ status: 'in-progress', attempts: 1 }]);
      const resumed = await agent.resume('order-7');
      expect(effects).toEqual(['b']);
      expect(resultOf(resumed?.messages ?? [], 'b')).toMatchObject({ kind: 'interrupted' });
    });

    it('B10 the model fails after the approved call: its result is kept, and it does not run again', async () => {
      const store = newStorage().open();
      let isDown = true;
      const turns = [
        calls('b'),
        () => {
          if (isDown) throw new Error('the provider is down');
          return { text: 'done', finishReason: 'stop' as const };
        },
      ];
      const { agent, effects } = workshop({ store, turns, gated: ['b'] });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      expect(await codeOf(agent.approvals.resolve({ id: approvalId, approved: true }))).toBe(
        'LOUSHO_PROVIDER_REQUEST_FAILED',
      );
      const stored = await store.checkpoints.load('order-7');
      expect(stored?.status).toBe('in-progress');
      expect(roles(stored?.messages ?? [])).toBe('user assistant(b) tool(b)');
      isDown = false;
      expect((await agent.resume('order-7'))?.text).toBe('done');
      expect(effects).toEqual(['b']);
    });

    it('B11 the process dies in the approved call: pending lists it in progress, a resume says interrupted', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const life = mortal(open());
      const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
      const first = workshop({ ...options, store: life.store, does: { b: () => life.kill() } });
      const { approvalId = '' } = await first.agent.send('Go', SESSION);
      await rejection(first.agent.approvals.resolve({ id: approvalId, approved: true }));

      const second = workshop({ ...options, store: open() });
      expect(await second.agent.pending()).toMatchObject([{ sessionId: 'order-7', status: 'in-progress' }]);
      expect((await open().checkpoints.load('order-7'))?.startedToolCallIds).toEqual(['b']);
      const done = await second.agent.resume('order-7');
      expect(resultOf(done?.messages ?? [], 'b')).toMatchObject({ kind: 'interrupted', isError: true });
      expect(done?.finishReason).toBe('stop');
      expect(effects).toEqual(['b']);
      expect(await second.agent.approvals.list()).toEqual([]);
    });

    it('B12 B14 the checkpoint was deleted: orphaned and withdrawn, also from a restarted process and as a stream', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
      for (const how of ['same', 'restarted', 'stream']) {
        const first = workshop({ ...options, store: open() });
        const { approvalId = '' } = await first.agent.send('Go', { sessionId: how });
        await open().checkpoints.delete(how);
        const { agent } = how === 'same' ? first : workshop({ ...options, store: open() });
        const decision = { id: approvalId, approved: true };
        const outcome =
          how === 'stream'
            ? agent.approvals.streamResolve(decision).result
            : agent.approvals.resolve(decision);
        expect(await codeOf(outcome)).toBe('LOUSHO_APPROVAL_ORPHANED');
        expect(await agent.approvals.list()).toEqual([]);
        expect(await codeOf(agent.approvals.resolve(decision))).toBe('LOUSHO_APPROVAL_NOT_FOUND');
      }
      expect(effects).toEqual([]);
    });

    it.each(['paused', 'finished', 'in-progress'])(
      'B13 B14 the checkpoint was replaced by a newer run that is %s: orphaned, the newer run untouched',
      async (kind) => {
        const { open } = newStorage();
        const effects: string[] = [];
        const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
        const { agent } = workshop({ ...options, store: open() });
        const old = await agent.send('Go', SESSION);
        await open().checkpoints.delete('order-7');
        const turns = {
          paused: [calls('b'), 'done'],
          finished: ['done at once'],
          'in-progress': [new Error('down')],
        }[kind] as typeof options.turns;
        await workshop({ ...options, turns, store: open() })
          .agent.send('Again', SESSION)
          .catch(() => undefined);
        const newer = await open().checkpoints.load('order-7');

        const late = workshop({ ...options, store: open() });
        const decision = { id: old.approvalId as string, approved: true };
        const attempt =
          kind === 'paused'
            ? late.agent.approvals.resolve(decision)
            : late.agent.approvals.streamResolve(decision).result;
        expect(await codeOf(attempt)).toBe('LOUSHO_APPROVAL_ORPHANED');
        expect(effects).toEqual([]);
        expect(late.model.requests).toEqual([]);
        expect(await open().checkpoints.load('order-7')).toEqual(newer);
        expect((await late.agent.approvals.list()).map(({ id }) => id)).toEqual(newer?.approvalIds ?? []);
      },
    );

    it('B15 a crash between approval and checkpoint: asked again under a new id, the old one not decidable into the run', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
      const life = mortal(open(), { after: nth(1, 'approvals.save') });
      await rejection(workshop({ ...options, store: life.store }).agent.send('Go', SESSION));
      expect((await open().checkpoints.load('order-7'))?.status).toBe('in-progress');
      const { agent } = workshop({ ...options, store: open() });
      const [old] = await agent.approvals.list();

      const again = await agent.resume('order-7');
      expect(again?.finishReason).toBe('awaiting-approval');
      expect(again?.approvalId).not.toBe(old?.id);
      expect((await agent.approvals.list()).map(({ id }) => id)).toEqual([again?.approvalId]);
      expect(await codeOf(agent.approvals.resolve({ id: old?.id as string, approved: true }))).toBe(
        'LOUSHO_APPROVAL_NOT_FOUND',
      );
      expect(effects).toEqual([]);
      await agent.approvals.resolve({ id: again?.approvalId as string, approved: true });
      expect(effects).toEqual(['b']);
    });

    it('B15 the old record decided before the run pauses again is orphaned, and the run asks anew', async () => {
      const { open } = newStorage();
      const options = { turns: [calls('b'), 'done'], gated: ['b'] };
      const life = mortal(open(), { after: nth(1, 'approvals.save') });
      await rejection(workshop({ ...options, store: life.store }).agent.send('Go', SESSION));
      const { agent, effects } = workshop({ ...options, store: open() });
      const [old] = await agent.approvals.list();
      expect(await codeOf(agent.approvals.resolve({ id: old?.id as string, approved: true }))).toBe(
        'LOUSHO_APPROVAL_ORPHANED',
      );
      expect(await agent.approvals.list()).toEqual([]);
      expect((await agent.resume('order-7'))?.finishReason).toBe('awaiting-approval');
      expect(effects).toEqual([]);
    });

    it('B15 an orphan of a run that goes on without pausing is withdrawn as well: nobody is shown a dead question', async () => {
      const { open } = newStorage();
      const options = { turns: [calls('b'), 'done'] };
      const life = mortal(open(), { after: nth(1, 'approvals.save') });
      await rejection(workshop({ ...options, gated: ['b'], store: life.store }).agent.send('Go', SESSION));
      const { agent, effects } = workshop({ ...options, open: ['b'], store: open() });
      expect((await agent.resume('order-7'))?.finishReason).toBe('stop');
      expect(effects).toEqual(['b']);
      expect(await agent.approvals.list()).toEqual([]);
    });

    it('B16 a late approval counts as a denial that says expired; the run goes on', async () => {
      const timers = virtualTimers();
      const store = newStorage().open();
      const { agent, effects } = workshop({
        store,
        turns: [calls('b'), 'done'],
        gated: ['b'],
        approvalTtlMs: 30,
        ports: { timers },
      });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      expect((await agent.approvals.get(approvalId))?.expiresAt).toBe('2026-01-01T00:00:00.030Z');
      await timers.advance(50);
      const done = await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(done.finishReason).toBe('stop');
      expect(effects).toEqual([]);
      expect(resultOf(done.messages, 'b')).toMatchObject({
        kind: 'denied',
        error: 'ToolDeniedError',
        isError: true,
      });
      expect((resultOf(done.messages, 'b') as { message: string }).message).toContain('expired');
      expect((await store.approvals.load(approvalId))?.decision).toMatchObject({
        approved: false,
        isExpired: true,
        decidedAt: '2026-01-01T00:00:00.050Z',
      });
    });

    it('B16 it expires at its very instant, and not one millisecond earlier', async () => {
      for (const [waitMs, ran] of [
        [29, ['b']],
        [30, []],
      ] as const) {
        const timers = virtualTimers();
        const { agent, effects } = workshop({
          store: newStorage().open(),
          turns: [calls('b'), 'done'],
          gated: ['b'],
          ports: { timers },
        });
        const sessionId = `waited-${waitMs}`;
        const { approvalId = '' } = await agent.send('Go', { sessionId, approvalTtlMs: 30 });
        await timers.advance(waitMs);
        await agent.approvals.resolve({ id: approvalId, approved: true });
        expect(effects).toEqual(ran);
      }
    });

    it('B16 a rejection that comes late is a rejection', async () => {
      const timers = virtualTimers();
      const store = newStorage().open();
      const options = {
        store,
        turns: [calls('b'), 'done'],
        gated: ['b'],
        approvalTtlMs: 30,
        ports: { timers },
      };
      const { agent } = workshop(options);
      const { approvalId = '' } = await agent.send('Go', SESSION);
      await timers.advance(50);
      const { messages } = await agent.approvals.resolve({ id: approvalId, approved: false, note: 'no' });
      expect(resultOf(messages, 'b')).toMatchObject({ kind: 'rejected', note: 'no' });
    });

    it.each([
      ['an unparsable expiresAt', 'next Tuesday'],
      ['no expiresAt', undefined],
    ])('B17 with %s it is decidable for ever', async (_, expiresAt) => {
      const timers = virtualTimers();
      const store = newStorage().open();
      const options = { store, turns: [calls('b'), 'done'], gated: ['b'], ports: { timers } };
      const { agent, effects } = workshop(options);
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const record = await store.approvals.load(approvalId);
      if (!record) throw new Error('no record');
      await store.approvals.save(
        { ...record.approval, ...(expiresAt !== undefined && { expiresAt }) },
        record.snapshot,
      );
      await timers.advance(1_000 * 86_400_000);
      await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(effects).toEqual(['b']);
    });

    it('B18 the nearer lifetime wins (ask rules come later): that of the call before that of the agent', async () => {
      const timers = virtualTimers();
      const store = newStorage().open();
      const options = { store, turns: [calls('b')], gated: ['b'], approvalTtlMs: 1_000, ports: { timers } };
      const { agent } = workshop(options);
      const own = await agent.send('Go', { sessionId: 'own', approvalTtlMs: 5 });
      const agents = await agent.send('Go', { sessionId: 'agents' });
      expect((await agent.approvals.get(own.approvalId as string))?.expiresAt).toBe(
        '2026-01-01T00:00:00.005Z',
      );
      expect((await agent.approvals.get(agents.approvalId as string))?.expiresAt).toBe(
        '2026-01-01T00:00:01.000Z',
      );
    });

    it('B19 a hook that changes the approved arguments: kind validation, the tool does not run', async () => {
      const store = newStorage().open();
      const hooks = [
        {
          name: 'late change',
          beforeToolCall: ({ context }: { context: { approval?: unknown } }) =>
            context.approval ? { input: { amount: 999 } } : undefined,
        },
      ];
      const turns = [[{ id: 'b', args: { amount: 10 } }], 'done'];
      const { agent, effects } = workshop({ store, turns, gated: ['b'], hooks });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const { messages } = await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(effects).toEqual([]);
      expect(resultOf(messages, 'b')).toMatchObject({ kind: 'validation', isError: true });
    });

    it('B19 the same arguments in another key order run', async () => {
      const store = newStorage().open();
      const hooks = [
        {
          name: 'reorder',
          beforeToolCall: ({ context }: { context: { approval?: unknown } }) =>
            context.approval ? { input: { to: { iban: 'x', name: 'y' }, amount: 10 } } : undefined,
        },
      ];
      const turns = [[{ id: 'b', args: { amount: 10, to: { name: 'y', iban: 'x' } } }], 'done'];
      const { agent, effects } = workshop({ store, turns, gated: ['b'], hooks });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(effects).toEqual(['b']);
    });

    it('B19 a hook may deny the approved call, or answer in its place', async () => {
      for (const [outcome, wanted] of [
        [{ deny: 'not today' }, { kind: 'denied', reason: 'not today' }],
        [{ result: { from: 'hook' } }, { from: 'hook' }],
      ] as const) {
        const hooks = [
          {
            name: 'late',
            beforeToolCall: ({ context }: { context: { approval?: unknown } }) =>
              context.approval ? outcome : undefined,
          },
        ];
        const store = newStorage().open();
        const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'], hooks });
        const { approvalId = '' } = await agent.send('Go', { sessionId: Object.keys(outcome).join() });
        const { messages } = await agent.approvals.resolve({ id: approvalId, approved: true });
        expect(resultOf(messages, 'b')).toMatchObject(wanted);
        expect(effects).toEqual([]);
      }
    });

    it('B20 B21 B22 steps and usage go on over the pause, and there is one system message', async () => {
      const store = newStorage().open();
      const turns = [calls('a'), calls('a'), calls('b'), 'done'];
      const usage = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });
      const model = scriptedModel(turns, [usage(40, 4), usage(30, 3), usage(30, 3), usage(200, 20)]);
      const options = { store, turns, model, gated: ['b'], open: ['a'], instructions: 'Be brief.' };
      const paused = await workshop(options).agent.send('Go', SESSION);
      expect(paused).toMatchObject({ steps: 3, usage: { inputTokens: 100, outputTokens: 10 } });
      const { agent } = workshop(options);
      const done = await agent.approvals.resolve({ id: paused.approvalId as string, approved: true });
      expect(done).toMatchObject({
        steps: 4,
        usage: { inputTokens: 300, outputTokens: 30, totalTokens: 330, modelCalls: 4 },
      });
      expect(done.messages.filter(({ role }) => role === 'system')).toHaveLength(1);
      expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'system')).toHaveLength(1);
    });

    it('B23 resumed without the checkpoint store: the session still waits, and the approved call ran once for ever', async () => {
      const store = newStorage().open();
      const effects: string[] = [];
      const options = { store, turns: [calls('b'), 'done'], gated: ['b'], effects };
      const { agent, model } = workshop(options);
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const registry = new ToolRegistry([countingTool({ name: 'b', effects, needsApproval: true })]);
      const done = await resumeAfterApproval(
        { id: approvalId, approved: true },
        store.approvals,
        registry,
        model,
      );
      expect(done.finishReason).toBe('stop');
      expect(effects).toEqual(['b']);

      const restarted = workshop(options);
      expect(await codeOf(restarted.agent.send('And now?', SESSION))).toBe(
        'LOUSHO_SESSION_AWAITING_APPROVAL',
      );
      expect(await codeOf(restarted.agent.resume('order-7'))).toBe('LOUSHO_SESSION_AWAITING_APPROVAL');
      expect(effects).toEqual(['b']);
      expect((await store.checkpoints.load('order-7'))?.status).toBe('awaiting-approval');
    });

    it.each([true, false])(
      'B23 of two calls one decided without the checkpoint store (first: %s): nothing runs twice',
      async (isFirst) => {
        const store = newStorage().open();
        const effects: string[] = [];
        const options = { store, turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'], effects };
        const { agent, model } = workshop(options);
        const { approvalIds = [] } = await agent.send('Go', SESSION);
        const [b = '', c = ''] = approvalIds;
        const tools = ['b', 'c'].map((name) => countingTool({ name, effects, needsApproval: true }));
        const detached = (id: string) =>
          resumeAfterApproval({ id, approved: true }, store.approvals, new ToolRegistry(tools), model);
        const attached = (id: string) => agent.approvals.resolve({ id, approved: true });
        await (isFirst ? detached : attached)(b);
        await (isFirst ? attached : detached)(c);
        await workshop(options)
          .agent.resume('order-7')
          .catch(() => undefined);
        await workshop(options)
          .agent.send('And now?', SESSION)
          .catch(() => undefined);
        expect(effects.toSorted()).toEqual([...new Set(effects)].toSorted());
        expect(await codeOf(workshop(options).agent.resume('order-7'))).toBe(
          'LOUSHO_SESSION_AWAITING_APPROVAL',
        );
      },
    );

    it('B23 recover() does not run it again either', async () => {
      const timers = virtualTimers();
      const store = newStorage().open();
      const effects: string[] = [];
      const options = { store, turns: [calls('b'), 'done'], gated: ['b'], effects, ports: { timers } };
      const { agent, model } = workshop(options);
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const registry = new ToolRegistry([countingTool({ name: 'b', effects, needsApproval: true })]);
      await resumeAfterApproval({ id: approvalId, approved: true }, store.approvals, registry, model);
      const errors: unknown[] = [];
      const recovery = agent.recover({ intervalMs: 1_000, onError: (error) => errors.push(error) });
      await timers.advance(3_000);
      await recovery.stop();
      expect([effects, errors]).toEqual([['b'], []]);
    });

    it('B24 input behind a crash and a pause: not in the paused messages, last in the snapshot, delivered after all results', async () => {
      const { open } = newStorage();
      const options = { turns: [calls('a', 'b'), 'done'], gated: ['b'], open: ['a'] };
      const life = mortal(open(), { before: nth(1, 'approvals.save') });
      await rejection(workshop({ ...options, store: life.store }).agent.send('Go', SESSION));
      const store = open();
      const { agent, model } = workshop({ ...options, store });
      const paused = await agent.send('And hurry.', SESSION);
      expect(roles(paused.messages)).toBe('user assistant(a,b) tool(a)');
      const record = await store.approvals.load(paused.approvalId as string);
      expect(record?.snapshot.currentMessages?.at(-1)).toMatchObject({ role: 'user', content: 'And hurry.' });
      expect((await store.checkpoints.load('order-7'))?.messages.at(-1)).toMatchObject({
        content: 'And hurry.',
      });
      const done = await agent.approvals.resolve({ id: paused.approvalId as string, approved: true });
      expect(roles(model.requests.at(-1)?.messages ?? [])).toBe('user assistant(a,b) tool(a) tool(b) user');
      expect(done.text).toBe('done');
    });

    it('B25 get() of a malformed or unknown id is undefined, and of a decided one too', async () => {
      const store = newStorage().open();
      const { agent } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      for (const id of ['bogus id!', 'nobody', '', '../etc/passwd', undefined as unknown as string]) {
        expect(await agent.approvals.get(id)).toBeUndefined();
      }
      const { approvalId = '' } = await agent.send('Go', SESSION);
      expect(await agent.approvals.get(approvalId)).toMatchObject({ id: approvalId, toolCallId: 'b' });
      await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(await agent.approvals.get(approvalId)).toBeUndefined();
    });

    it('B26 list() is oldest first by createdAt, without decided ones', async () => {
      const timers = virtualTimers();
      const store = newStorage().open();
      const options = { store, turns: [calls('b'), 'done'], gated: ['b'], ports: { timers } };
      const { agent } = workshop(options);
      const ids: string[] = [];
      for (const sessionId of ['zebra', 'ant', 'mole']) {
        ids.push((await agent.send('Go', { sessionId })).approvalId as string);
        await timers.advance(1);
      }
      expect((await agent.approvals.list()).map(({ id }) => id)).toEqual(ids);
      await agent.approvals.resolve({ id: ids[1] as string, approved: true });
      expect((await agent.approvals.list()).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    });

    it('B28 a decision while the run is held elsewhere: busy, the approval still pending, later it works', async () => {
      const timers = virtualTimers();
      const store = newStorage().open();
      const options = { store, turns: [calls('b'), 'done'], gated: ['b'], ports: { timers } };
      const { agent, effects } = workshop(options);
      const { approvalId = '' } = await agent.send('Go', SESSION);
      await store.checkpoints.acquireLease('order-7', 'somebody-else', 30_000);
      const refused = codeOf(agent.approvals.resolve({ id: approvalId, approved: true }));
      expect(await drive(timers, refused)).toBe('LOUSHO_SESSION_BUSY');
      expect(effects).toEqual([]);
      expect((await agent.approvals.list()).map(({ id }) => id)).toEqual([approvalId]);
      expect((await store.approvals.load(approvalId))?.decision).toBeUndefined();
      await store.checkpoints.releaseLease('order-7', 'somebody-else');
      await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(effects).toEqual(['b']);
    });

    it('B29 B30 the business state stands on every checkpoint of the resumed run, which is saved step by step to its end', async () => {
      const store = newStorage().open();
      const turns = [calls('b'), calls('a'), 'done'];
      const { agent } = workshop({ store, turns, gated: ['b'], open: ['a'] });
      const { approvalId = '' } = await agent.send('Go', { ...SESSION, businessState: { cart: 3 } });
      await agent.approvals.resolve({ id: approvalId, approved: true });
      const history = await store.checkpoints.history('order-7');
      expect(history.every(({ checkpoint }) => checkpoint.businessState !== undefined)).toBe(true);
      const outline = history
        .toReversed()
        .map(({ status, checkpoint }) => `${status}: ${roles(checkpoint.messages)}`);
      expect(outline.slice(outline.findIndex((line) => line.startsWith('awaiting')))).toEqual([
        'awaiting-approval: user assistant(b)',
        'in-progress: user assistant(b)',
        'in-progress: user assistant(b) tool(b)',
        'in-progress: user assistant(b) tool(b) assistant(a)',
        'in-progress: user assistant(b) tool(b) assistant(a) tool(a)',
        'finished: user assistant(b) tool(b) assistant(a) tool(a) assistant',
      ]);
    });

    it('B31 beside a call that throws a PropagatingToolError nobody is asked: the run rejects, no record is left', async () => {
      const store = newStorage().open();
      const fault = new PropagatingToolError('stop everything');
      const does = {
        a: () => {
          throw fault;
        },
      };
      for (const ids of [
        ['a', 'b'],
        ['b', 'a'],
      ]) {
        const { agent, effects } = workshop({
          store,
          turns: [calls(...ids)],
          gated: ['b'],
          open: ['a'],
          does,
        });
        const sessionId = ids.join('-');
        expect(await rejection(agent.send('Go', { sessionId }))).toBe(fault);
        expect(effects).toEqual(['a']);
        expect(await agent.approvals.list()).toEqual([]);
        expect((await store.checkpoints.load(sessionId))?.status).toBe('in-progress');
      }
    });

    it('B32 a signal that has fired before the decision: aborted, the approval is still pending', async () => {
      const store = newStorage().open();
      const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const decision = { id: approvalId, approved: true };
      const aborted = await agent.approvals.resolve(decision, { signal: AbortSignal.abort() });
      expect(aborted.finishReason).toBe('aborted');
      expect(effects).toEqual([]);
      expect((await agent.approvals.list()).map(({ id }) => id)).toEqual([approvalId]);
      expect((await store.checkpoints.load('order-7'))?.status).toBe('awaiting-approval');
      await agent.approvals.resolve(decision);
      expect(effects).toEqual(['b']);
    });

    it('B32 a signal that fires at any store call of a decision, or in the tool: never twice, and the run can be finished', async () => {
      for (let at = 1; at <= 20; at++) {
        const { open } = newStorage();
        const effects: string[] = [];
        const options = { turns: [calls('b'), 'done'], gated: ['b'], effects };
        const { approvalId = '' } = await workshop({ ...options, store: open() }).agent.send('Go', SESSION);
        const controller = new AbortController();
        let seen = 0;
        const life = mortal(open(), {
          before: () => {
            if (++seen === at) controller.abort();
            return false;
          },
        });
        const decider = workshop({ ...options, store: life.store });
        const decision = { id: approvalId, approved: true };
        const result = await decider.agent.approvals.resolve(decision, { signal: controller.signal });
        const { agent } = workshop({ ...options, store: open() });
        const isPending = (await agent.approvals.list()).length > 0;
        const end = isPending ? await agent.approvals.resolve(decision) : await agent.resume('order-7');
        const { messages } = end ?? result;
        expect(resultOf(messages, 'b')).toBeDefined();
        expect(effects.length).toBeLessThanOrEqual(1);
        if (effects.length === 0) expect(resultOf(messages, 'b')).toMatchObject({ kind: 'not-run' });
        if (seen < at) break;
      }
    });
  });
});
