import type { RunEvent, ToolContext } from '@lousho/core';
import { virtualTimers } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { onFullStores } from '../harness/on-stores.js';
import { codeOf } from '../support/rejections.js';
import { resultOf } from './support/results.js';
import { until } from './support/time.js';
import { calls, workshop } from './support/workshop.js';

const SESSION = { sessionId: 'order-7' };

describe('what is known of a decision', () => {
  onFullStores((newStorage) => {
    it('who, when and why is kept with the approval, and told to the tool', async () => {
      const timers = virtualTimers();
      const store = newStorage().open();
      const seen: unknown[] = [];
      const does = { b: (_: unknown, { approval }: ToolContext) => void seen.push(approval) };
      const options = { store, turns: [calls('b'), 'done'], gated: ['b'], does, ports: { timers } };
      const { agent } = workshop(options);
      const { approvalId = '' } = await agent.send('Go', { ...SESSION, principal: { user: 'ana' } });
      expect(await agent.approvals.get(approvalId)).toMatchObject({
        principal: { user: 'ana' },
        sessionId: 'order-7',
        createdAt: '2026-01-01T00:00:00.000Z',
      });
      await timers.advance(60_000);
      const by = { user: 'boss', via: 'phone' };
      await agent.approvals.resolve({ id: approvalId, approved: true, note: 'fine', by });
      const decision = { id: approvalId, approved: true, note: 'fine', by };
      expect((await store.approvals.load(approvalId))?.decision).toEqual({
        ...decision,
        decidedAt: '2026-01-01T00:01:00.000Z',
      });
      expect(seen).toEqual([{ id: approvalId, note: 'fine', by }]);
    });

    it('the checkpoint of the run that goes on has the decision as well', async () => {
      const store = newStorage().open();
      const { agent } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      await agent.approvals.resolve({ id: approvalId, approved: false, note: 'no', by: 'boss' });
      const saved = (await store.checkpoints.history('order-7')).flatMap(
        ({ checkpoint }) => checkpoint.pausedCalls ?? [],
      );
      expect(saved).toContainEqual(
        expect.objectContaining({
          approvalId,
          toolCallId: 'b',
          decision: expect.objectContaining({ approved: false, note: 'no', by: 'boss' }),
        }),
      );
    });

    it('what the decider claims about time, expiry or detachment is not taken over', async () => {
      const store = newStorage().open();
      const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      await agent.approvals.resolve({
        id: approvalId,
        approved: true,
        decidedAt: '1999-01-01T00:00:00.000Z',
        isExpired: true,
        isDetached: true,
      });
      expect(effects).toEqual(['b']);
      const { decision } = (await store.approvals.load(approvalId)) ?? {};
      expect(decision?.decidedAt).not.toContain('1999');
      expect(decision).not.toHaveProperty('isExpired');
      expect(decision).not.toHaveProperty('isDetached');
    });

    it('a `by` that cannot be stored is refused, and the approval stays', async () => {
      const store = newStorage().open();
      const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const decision = { id: approvalId, approved: true, by: () => 'me' };
      expect(await codeOf(agent.approvals.resolve(decision))).toBe('LOUSHO_VALUE_INVALID');
      expect(effects).toEqual([]);
      expect(await agent.approvals.list()).toHaveLength(1);
    });

    it('another principal cannot go on with the run; the approval stays', async () => {
      const store = newStorage().open();
      const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const { approvalId = '' } = await agent.send('Go', { ...SESSION, principal: 'ana' });
      const decision = { id: approvalId, approved: true };
      expect(await codeOf(agent.approvals.resolve(decision, { principal: 'bo' }))).toBe(
        'LOUSHO_CONFIG_INVALID',
      );
      expect([effects, (await agent.approvals.list()).length]).toEqual([[], 1]);
      await agent.approvals.resolve(decision, { principal: 'ana' });
      expect(effects).toEqual(['b']);
    });

    it('a tool that is gone: refused, the approval stays, and the agent that has it can decide', async () => {
      const store = newStorage().open();
      const turns = [calls('b'), 'done'];
      const { approvalId = '' } = await workshop({ store, turns, gated: ['b'] }).agent.send('Go', SESSION);
      const without = workshop({ store, turns, gated: [] });
      for (const approved of [true, false]) {
        expect(await codeOf(without.agent.approvals.resolve({ id: approvalId, approved }))).toBe(
          'LOUSHO_RESUME_TOOL_MISSING',
        );
      }
      expect(await without.agent.approvals.list()).toHaveLength(1);
      const { agent, effects } = workshop({ store, turns, gated: ['b'] });
      expect((await agent.approvals.resolve({ id: approvalId, approved: true })).finishReason).toBe('stop');
      expect(effects).toEqual(['b']);
    });
  });
});

describe('the events of a pause and of its decision', () => {
  onFullStores((newStorage) => {
    async function eventsOf(run: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
      const events: RunEvent[] = [];
      for await (const event of run) events.push(event);
      return events;
    }

    it('approval.requested comes when record and checkpoint are durable, in call order, behind the ungated calls', async () => {
      const { open } = newStorage();
      const store = open();
      const turns = [calls('b', 'a', 'c'), 'done'];
      const { agent } = workshop({ store, turns, gated: ['b', 'c'], open: ['a'], approvalTtlMs: 1_000 });
      const run = agent.stream('Go', SESSION);
      const seen: unknown[] = [];
      for await (const event of run) {
        if (event.type !== 'approval.requested') continue;
        const record = await open().approvals.load(event.approvalId);
        const stored = await open().checkpoints.load('order-7');
        seen.push([
          event.toolCallId,
          record?.approval.toolCallId,
          stored?.approvalIds?.includes(event.approvalId),
        ]);
        expect(event.expiresAt).toBe(record?.approval.expiresAt);
      }
      expect(seen).toEqual([
        ['b', 'b', true],
        ['c', 'c', true],
      ]);
    });

    it('a click in the same tick as the event decides, although the run that asked has not ended yet', async () => {
      const store = newStorage().open();
      const { agent, effects } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const run = agent.stream('Go', SESSION);
      let click: Promise<unknown> | undefined;
      for await (const event of run) {
        if (event.type === 'approval.requested')
          click = agent.approvals.resolve({ id: event.approvalId, approved: true });
      }
      expect((await run.result).finishReason).toBe('awaiting-approval');
      expect(await click).toMatchObject({ finishReason: 'stop' });
      expect(effects).toEqual(['b']);
    });

    it('a streamed decision: run.start first, tool.resume for the decided call, run.done last, each once', async () => {
      const store = newStorage().open();
      const { agent } = workshop({
        store,
        turns: [calls('b'), calls('a'), 'done'],
        gated: ['b'],
        open: ['a'],
      });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      const events = await eventsOf(agent.approvals.streamResolve({ id: approvalId, approved: true }));
      expect(
        events.map((event) => ('toolCallId' in event ? `${event.type} ${event.toolCallId}` : event.type)),
      ).toEqual([
        'run.start',
        'tool.resume b',
        'tool.done b',
        'step.done',
        'step.start',
        'tool.start a',
        'tool.done a',
        'step.done',
        'step.start',
        'text.delta',
        'text.done',
        'step.done',
        'run.done',
      ]);
      expect(events[0]).toMatchObject({ resumed: true });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
      expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    });

    it('a rejected call has a resume and an error event, and a decision that is not the last one only frames', async () => {
      const store = newStorage().open();
      const { agent } = workshop({ store, turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'] });
      const { approvalIds = [] } = await agent.send('Go', SESSION);
      const [b = '', c = ''] = approvalIds;
      const first = await eventsOf(agent.approvals.streamResolve({ id: b, approved: false }));
      expect(first.map(({ type }) => type)).toEqual(['run.start', 'run.done']);
      expect(first[1]).toMatchObject({ finishReason: 'awaiting-approval' });
      const second = await eventsOf(agent.approvals.streamResolve({ id: c, approved: true }));
      expect(second.filter(({ type }) => type === 'tool.error')).toMatchObject([{ toolCallId: 'b' }]);
      expect(second.filter(({ type }) => type === 'tool.resume')).toMatchObject([
        { toolCallId: 'b' },
        { toolCallId: 'c' },
      ]);
    });

    it('a decision that is refused ends its stream with the error', async () => {
      const store = newStorage().open();
      const { agent } = workshop({ store, turns: [calls('b'), 'done'], gated: ['b'] });
      const { approvalId = '' } = await agent.send('Go', SESSION);
      await store.checkpoints.delete('order-7');
      const run = agent.approvals.streamResolve({ id: approvalId, approved: true });
      const events = await eventsOf(run);
      expect(events.map(({ type }) => type)).toEqual(['run.start', 'error', 'run.done']);
      expect(events[1]).toMatchObject({ error: { code: 'LOUSHO_APPROVAL_ORPHANED' } });
      expect(await codeOf(run.result)).toBe('LOUSHO_APPROVAL_ORPHANED');
    });

    it('a run whose decider died right after the decision is finished by recover(), each call once', async () => {
      const { mortal, nth } = await import('./support/mortal.js');
      const { open } = newStorage();
      const effects: string[] = [];
      const options = { turns: [calls('b', 'c'), 'done'], gated: ['b', 'c'], effects };
      const { approvalIds = [] } = await workshop({ ...options, store: open() }).agent.send('Go', SESSION);
      for (const [index, id] of approvalIds.entries()) {
        const life = mortal(open(), { after: nth(1, 'approvals.decide') });
        const decider = workshop({ ...options, store: life.store });
        const decision = { id, approved: index === 0 };
        expect(await codeOf(decider.agent.approvals.resolve(decision))).not.toBe('none');
        if (index === 0) {
          // The other call is still to be decided: there is nothing to recover yet.
          const early = workshop({ ...options, store: open() });
          expect((await early.agent.approvals.list()).map((one) => one.toolCallId)).toEqual(['c']);
        }
      }
      expect(effects).toEqual([]);
      expect((await open().checkpoints.load('order-7'))?.status).toBe('awaiting-approval');

      const { agent } = workshop({ ...options, store: open() });
      const errors: unknown[] = [];
      const recovered: string[] = [];
      const recovery = agent.recover({
        intervalMs: 20,
        onRecovered: (run, { finishReason }) => void recovered.push(`${run.sessionId} ${finishReason}`),
        onError: (error) => errors.push(error),
      });
      await until(() => recovered.length > 0);
      await recovery.stop();
      expect([recovered, errors, effects]).toEqual([['order-7 stop'], [], ['b']]);
      const messages = (await open().checkpoints.load('order-7'))?.messages ?? [];
      expect(resultOf(messages, 'c')).toMatchObject({ kind: 'rejected' });
    });

    it('recover() leaves alone what a person has not decided', async () => {
      const store = newStorage().open();
      const timers = virtualTimers();
      const { agent, effects, model } = workshop({
        store,
        turns: [calls('b'), 'done'],
        gated: ['b'],
        ports: { timers },
      });
      await agent.send('Go', SESSION);
      const heard: unknown[] = [];
      const recovery = agent.recover({
        intervalMs: 1_000,
        onError: (error) => heard.push(error),
        onRecovered: (run) => void heard.push(run),
      });
      await timers.advance(5_000);
      await recovery.stop();
      expect([heard, effects, model.requests.length]).toEqual([[], [], 1]);
      expect(await agent.approvals.list()).toHaveLength(1);
    });
  });
});
