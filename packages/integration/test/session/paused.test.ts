import { SessionAwaitingApprovalError } from '@lousho/core';
import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { nth } from '../approval/support/mortal.js';
import { resultOf, roles } from '../approval/support/results.js';
import { calls } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { codeOf, rejection } from '../support/rejections.js';
import { mortalView } from './support/mortal-view.js';
import { asked, office } from './support/office.js';
import { view } from './support/view.js';

const GATED = { turns: [calls('a', 'b'), 'one', 'two'], open: ['a'], gated: ['b'] } as const;

describe('a turn of a session that waits for a person', () => {
  onFullStores((newStorage) => {
    it('H4 is not in the transcript, and send, resume and clear are refused without a model call', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, GATED);
      const first = start();
      const session = first.agent.session({ id: 'chat' });
      const paused = await session.send('Go');
      expect(paused).toMatchObject({ finishReason: 'awaiting-approval', sessionId: 'chat' });
      expect(await session.messages()).toEqual([]);
      expect(await session.pending()).toEqual({
        status: 'awaiting-approval',
        approvalId: paused.approvalId,
      });
      for (const { agent } of [first, start()]) {
        const other = agent.session({ id: 'chat' });
        const refusal = await rejection(other.send('More'));
        expect(refusal).toBeInstanceOf(SessionAwaitingApprovalError);
        expect(refusal).toMatchObject({
          code: 'LOUSHO_SESSION_AWAITING_APPROVAL',
          sessionId: 'chat',
          checkpointId: 'chat.turn-0',
          approvalId: paused.approvalId,
        });
        expect(await codeOf(other.stream('More').result)).toBe('LOUSHO_SESSION_AWAITING_APPROVAL');
        expect(await codeOf(other.resume())).toBe('LOUSHO_SESSION_AWAITING_APPROVAL');
        expect(await codeOf(other.clear())).toBe('LOUSHO_SESSION_AWAITING_APPROVAL');
        expect(await codeOf(agent.resume('chat'))).toBe('LOUSHO_SESSION_AWAITING_APPROVAL');
      }
      expect(asked(first)).toBe(1);
      expect(effects).toEqual(['a']);
      expect(await session.messages()).toEqual([]);
    });

    it('H5 a decision in a process that never opened the session commits the turn', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, GATED);
      await start().agent.session({ id: 'chat' }).send('Go');
      const decider = start();
      const [listed] = await decider.agent.approvals.list();
      const result = await decider.agent.approvals.resolve({ id: listed?.id ?? '', approved: true });
      expect(result).toMatchObject({ text: 'one', finishReason: 'stop', sessionId: 'chat' });
      const { checkpoints, sessions } = open();
      expect(roles((await sessions.load('chat'))?.messages ?? [])).toBe(
        'user assistant(a,b) tool(a) tool(b) assistant',
      );
      expect(await checkpoints.load('chat.turn-0')).toBeNull();
      expect(await checkpoints.load('chat.paused')).toBeNull();
      expect(effects).toEqual(['a', 'b']);
      expect(await decider.agent.pending()).toEqual([]);
      expect((await start().agent.session({ id: 'chat' }).send('More')).text).toBe('two');
    });

    it('H5 a streamed decision commits it before run.done', async () => {
      const { open } = newStorage();
      const { start } = office(open, GATED);
      const { approvalId = '' } = await start().agent.session({ id: 'chat' }).send('Go');
      const { sessions } = open();
      const run = start().agent.approvals.streamResolve({ id: approvalId, approved: true });
      let committed: string | undefined;
      for await (const event of run) {
        if (event.type === 'run.done') committed = roles((await sessions.load('chat'))?.messages ?? []);
      }
      expect(committed).toBe('user assistant(a,b) tool(a) tool(b) assistant');
    });

    it('pauses again in the same turn: a new approval, and the session stays locked', async () => {
      const { open } = newStorage();
      const { start } = office(open, {
        ...GATED,
        turns: [calls('b'), calls('b2'), 'one'],
        gated: ['b', 'b2'],
      });
      const first = await start().agent.session({ id: 'chat' }).send('Go');
      const { agent } = start();
      const second = await agent.approvals.resolve({ id: first.approvalId ?? '', approved: true });
      expect(second).toMatchObject({ finishReason: 'awaiting-approval', sessionId: 'chat' });
      expect(second.approvalId).not.toBe(first.approvalId);
      const session = agent.session({ id: 'chat' });
      expect(await rejection(session.send('More'))).toMatchObject({ approvalId: second.approvalId });
      expect(await rejection(agent.send('More', { sessionId: 'chat' }))).toMatchObject({
        code: 'LOUSHO_SESSION_AWAITING_APPROVAL',
        approvalId: second.approvalId,
      });
      await agent.approvals.resolve({ id: second.approvalId ?? '', approved: true });
      expect(await session.pending()).toBeNull();
      expect(roles(await session.messages())).toBe(
        'user assistant(b) tool(b) assistant(b2) tool(b2) assistant',
      );
    });

    it('H13 a run under the id of the session is refused, model untouched, until the decision', async () => {
      const { open } = newStorage();
      const { start } = office(open, GATED);
      const { approvalId } = await start().agent.session({ id: 'chat' }).send('Go');
      const other = start();
      const { agent } = other;
      expect(await rejection(agent.send('Psst', { sessionId: 'chat' }))).toMatchObject({
        code: 'LOUSHO_SESSION_AWAITING_APPROVAL',
        sessionId: 'chat',
        checkpointId: 'chat.turn-0',
        approvalId,
      });
      expect(await codeOf(agent.stream('Psst', { sessionId: 'chat' }).result)).toBe(
        'LOUSHO_SESSION_AWAITING_APPROVAL',
      );
      expect(asked(other)).toBe(0);
      await agent.approvals.resolve({ id: approvalId ?? '', approved: false });
      expect(await codeOf(agent.send('Now', { sessionId: 'chat' }))).toBe('none');
    });

    it('H13 discardPending() unlocks it, and withdraws the approval at once', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, GATED);
      const { approvalId = '' } = await start().agent.session({ id: 'chat' }).send('Go');
      const { agent } = start({ turns: ['fine'] });
      await agent.session({ id: 'chat' }).discardPending();
      expect(await agent.approvals.list()).toEqual([]);
      expect(await agent.approvals.get(approvalId)).toBeUndefined();
      expect(await codeOf(agent.approvals.resolve({ id: approvalId, approved: true }))).toMatch(
        /^LOUSHO_APPROVAL_(ORPHANED|NOT_FOUND)$/,
      );
      expect(await agent.pending()).toEqual([]);
      expect(await codeOf(agent.send('Now', { sessionId: 'chat' }))).toBe('none');
      expect(await agent.session({ id: 'chat' }).pending()).toBeNull();
      expect(effects).toEqual(['a']);
    });

    it('discardPending() withdraws what is undecided; a decision that was given stays on record', async () => {
      const { open } = newStorage();
      const { start } = office(open, { turns: [calls('b', 'c'), 'one'], gated: ['b', 'c'] });
      const { approvalIds = [] } = await start().agent.session({ id: 'chat' }).send('Go');
      const [decided = '', open2 = ''] = approvalIds;
      const { agent } = start();
      await agent.approvals.resolve({ id: decided, approved: true, by: 'ana' });
      await agent.session({ id: 'chat' }).discardPending();
      expect((await open().approvals.load(decided))?.decision).toMatchObject({ approved: true, by: 'ana' });
      expect(await open().approvals.load(open2)).toBeNull();
    });

    it('H13 the lock is there however the pausing process dies', async () => {
      const { open } = newStorage();
      const { start } = office(open, GATED);
      const first = mortalView(open(), { after: (name) => name === 'paused' });
      await expect(start({ store: first.store }).agent.session({ id: 'chat' }).send('Go')).rejects.toThrow();
      const { agent, model } = start();
      expect(await agent.session({ id: 'chat' }).pending()).toMatchObject({ status: 'awaiting-approval' });
      expect(await codeOf(agent.send('Psst', { sessionId: 'chat' }))).toBe(
        'LOUSHO_SESSION_AWAITING_APPROVAL',
      );
      expect(model.requests).toEqual([]);
    });

    it('H13 a decision that comes before the pausing process is done leaves no lock behind', async () => {
      const { open } = newStorage();
      const { start } = office(open, GATED);
      const decider = start();
      let hasDecided = false;
      // The approval is there before the pausing process has said that it paused: a person may be that quick.
      const slow = view(open(), async (name, args, next) => {
        const isMarker = name === 'checkpoints.save' && args[0] === 'chat.paused';
        if (isMarker && !hasDecided) {
          const [listed] = await decider.agent.approvals.list();
          const isWaiting = (await open().checkpoints.load('chat.turn-0'))?.status === 'awaiting-approval';
          if (listed && isWaiting) {
            hasDecided = true;
            await decider.agent.approvals.resolve({ id: listed.id, approved: true });
          }
        }
        return next();
      });
      await start({ store: slow }).agent.session({ id: 'chat' }).send('Go');
      const { agent } = start();
      if (!hasDecided) {
        const [listed] = await agent.approvals.list();
        await agent.approvals.resolve({ id: listed?.id ?? '', approved: true });
      }
      expect(roles(await agent.session({ id: 'chat' }).messages())).toBe(
        'user assistant(a,b) tool(a) tool(b) assistant',
      );
      expect(await codeOf(agent.send('Hello', { sessionId: 'chat' }))).toBe('none');
    });

    it('H13 discardPending() that dies half-way can be done again, and leaves no lock behind', async () => {
      for (let n = 1; n < 12; n++) {
        const { open } = newStorage();
        const { start } = office(open, GATED);
        await start().agent.session({ id: 'chat' }).send('Go');
        const dying = mortalView(open(), { before: (_, count) => count === n });
        const outcome = await codeOf(
          start({ store: dying.store }).agent.session({ id: 'chat' }).discardPending(),
        );
        const { agent } = start();
        await agent.session({ id: 'chat' }).discardPending();
        expect(await agent.session({ id: 'chat' }).pending()).toBeNull();
        expect(await agent.approvals.list()).toEqual([]);
        expect(await codeOf(agent.send('Hello', { sessionId: 'chat' }))).toBe('none');
        if (outcome === 'none') return;
      }
      throw new Error('discardPending() never came to its end');
    });

    it('B32 an abort before the decision leaves turn, approval and transcript as they were', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, GATED);
      const { approvalId = '' } = await start().agent.session({ id: 'chat' }).send('Go');
      const { checkpoints, sessions } = open();
      const before = await checkpoints.load('chat.turn-0');
      const { agent } = start();
      const result = await agent.approvals
        .resolve({ id: approvalId, approved: true }, { signal: AbortSignal.abort() })
        .catch((error: Error) => error);
      if (!(result instanceof Error)) expect(result.finishReason).toBe('aborted');
      expect(await checkpoints.load('chat.turn-0')).toEqual(before);
      expect(await sessions.load('chat')).toBeNull();
      expect((await agent.approvals.list()).map(({ id }) => id)).toEqual([approvalId]);
      expect((await agent.approvals.resolve({ id: approvalId, approved: true })).text).toBe('one');
      expect(effects).toEqual(['a', 'b']);
    });

    it('B32 an abort after the decision never runs the approved call twice, and the transcript is valid', async () => {
      const { open } = newStorage();
      const stop = new AbortController();
      const { start, effects } = office(open, {
        ...GATED,
        does: {
          b: () => {
            stop.abort();
            return 'b done';
          },
        },
      });
      const { approvalId = '' } = await start().agent.session({ id: 'chat' }).send('Go');
      const { agent } = start();
      await agent.approvals.resolve({ id: approvalId, approved: true }, { signal: stop.signal });
      const session = agent.session({ id: 'chat' });
      await session.resume();
      const messages = await session.messages();
      expect(transcriptFaults(messages)).toEqual([]);
      expect(resultOf(messages, 'b')).toBe('b done');
      expect(effects).toEqual(['a', 'b']);
    });

    it('a turn that asks a question says so', async () => {
      const { open } = newStorage();
      const question = [{ id: 'q', tool: 'ask_question', args: { question: 'Where to?' } }];
      const { start } = office(open, { turns: [question, 'one'], askQuestion: true });
      const { agent } = start();
      const session = agent.session({ id: 'chat' });
      const paused = await session.send('Go');
      expect(await session.pending()).toEqual({
        status: 'awaiting-approval',
        approvalId: paused.approvalId,
        approvalKind: 'question',
      });
      expect(await agent.pending()).toMatchObject([
        { sessionId: 'chat', kind: 'session', approvalKind: 'question', approvalId: paused.approvalId },
      ]);
      await start().agent.approvals.answer({ id: paused.approvalId ?? '', answer: 'Rome' });
      expect(resultOf(await session.messages(), 'q')).toMatchObject({ answer: 'Rome' });
    });

    it('a decision whose process dies before the turn goes on is carried out by the next call on the session', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, GATED);
      const { approvalId = '' } = await start().agent.session({ id: 'chat' }).send('Go');
      const isDecide = nth(1, 'approvals.decide');
      const dying = mortalView(open(), { after: (name) => isDecide(name) });
      await start({ store: dying.store })
        .agent.approvals.resolve({ id: approvalId, approved: true })
        .catch(() => undefined);
      const session = start().agent.session({ id: 'chat' });
      expect((await session.send('More')).text).toBe('two');
      expect(effects).toEqual(['a', 'b']);
      expect(roles(await session.messages())).toBe(
        'user assistant(a,b) tool(a) tool(b) assistant user assistant',
      );
    });
  });
});
