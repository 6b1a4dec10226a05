import type { Checkpoint } from '@lousho/core';
import { describe, expect, it } from 'vitest';
import { mortal, nth } from '../approval/support/mortal.js';
import { resultOf, roles } from '../approval/support/results.js';
import { calls, countingTool } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { office } from '../session/support/office.js';
import { codeOf } from '../support/rejections.js';

const PAUSING = { turns: [calls('a', 'b', 'c'), 'done'], open: ['a'], gated: ['b', 'c'] } as const;

describe('a fork of a run that waits for a person', () => {
  onFullStores((newStorage) => {
    async function paused() {
      const storage = newStorage();
      const all = office(storage.open, PAUSING);
      const result = await all.start().agent.send('Go', { sessionId: 'run' });
      return { ...storage, ...all, ids: result.approvalIds ?? [], raw: () => storage.raw('run') };
    }

    it('C14 is in progress, names no approval, and asks again with ids of its own', async () => {
      const { open, start, ids, raw, effects } = await paused();
      const before = [await raw(), await open().approvals.list()];
      const { agent } = start();
      const { checkpoint } = await agent.fork('run', { fromStep: 1 });
      expect(checkpoint.status).toBe('in-progress');
      for (const field of [
        'approvalId',
        'approvalIds',
        'approvalKind',
        'pausedCalls',
        'lastError',
        'attempts',
      ])
        expect(checkpoint).not.toHaveProperty(field);
      for (const id of ids) expect(JSON.stringify(checkpoint)).not.toContain(id);
      expect([await raw(), await open().approvals.list()]).toEqual(before);

      const again = await start().agent.resume('run.fork-1');
      expect(again?.finishReason).toBe('awaiting-approval');
      expect(again?.approvalIds).toHaveLength(2);
      for (const id of again?.approvalIds ?? []) expect(ids).not.toContain(id);
      expect((await agent.approvals.list()).map(({ sessionId }) => sessionId).toSorted()).toEqual([
        'run',
        'run',
        'run.fork-1',
        'run.fork-1',
      ]);
      expect(await raw()).toEqual(before[0]);
      expect(effects).toEqual(['a']);
    });

    it('A71 deciding the source does not touch the fork, and the other way round', async () => {
      for (const first of ['source', 'fork'] as const) {
        const { open, start, ids, effects } = await paused();
        const { agent } = start();
        await agent.fork('run', { fromStep: 1 });
        const forked = (await agent.resume('run.fork-1'))?.approvalIds ?? [];
        const [mine, others] = first === 'source' ? [ids, forked] : [forked, ids];
        const [ended, waiting] = first === 'source' ? ['run', 'run.fork-1'] : ['run.fork-1', 'run'];
        const before = await open().checkpoints.load(waiting as string);
        for (const id of mine) await start().agent.approvals.resolve({ id, approved: true });
        expect((await open().checkpoints.load(ended as string))?.status).toBe('finished');
        expect(await open().checkpoints.load(waiting as string)).toEqual(before);
        expect((await agent.approvals.list()).map(({ id }) => id).toSorted()).toEqual([...others].toSorted());
        for (const id of others) await start().agent.approvals.resolve({ id, approved: false, note: 'no' });
        const { messages = [] } = (await open().checkpoints.load(waiting as string)) ?? {};
        expect(resultOf(messages, 'b')).toMatchObject({ kind: 'rejected' });
        expect(effects).toEqual(['a', 'b', 'c']);
      }
    });

    it('A71 withdrawing the source leaves the fork its questions', async () => {
      const { open, start, ids } = await paused();
      const { agent } = start();
      await agent.fork('run', { fromStep: 1 });
      const forked = (await agent.resume('run.fork-1'))?.approvalIds ?? [];
      await open().checkpoints.delete('run');
      for (const id of ids)
        expect(await codeOf(agent.approvals.resolve({ id, approved: true }))).toBe(
          'LOUSHO_APPROVAL_ORPHANED',
        );
      for (const id of forked) await agent.approvals.resolve({ id, approved: true });
      expect((await open().checkpoints.load('run.fork-1'))?.status).toBe('finished');
    });

    it('a result can be recorded for a call that asked: it is not asked again and not run', async () => {
      const { start, effects } = await paused();
      const { agent } = start();
      await agent.fork('run', { fromStep: 1, patch: { toolResult: { toolCallId: 'b', result: 'as if' } } });
      const again = await agent.resume('run.fork-1');
      expect(again?.approvalIds).toHaveLength(1);
      const done = await agent.approvals.resolve({ id: again?.approvalId ?? '', approved: true });
      expect(roles(done.messages)).toBe('user assistant(a,b,c) tool(a) tool(b) tool(c) assistant');
      expect(resultOf(done.messages, 'b')).toBe('as if');
      expect(effects).toEqual(['a', 'c']);
    });

    it('a result that settled behind a call that asked can be another one', async () => {
      const { open } = newStorage();
      const { start, effects } = office(open, { ...PAUSING, turns: [calls('b', 'a'), 'done'] });
      await start().agent.send('Go', { sessionId: 'run' });
      const { agent } = start();
      await agent.fork('run', { fromStep: 1, patch: { toolResult: { toolCallId: 'a', result: 'patched' } } });
      const { approvalId = '' } = (await agent.resume('run.fork-1')) ?? {};
      const { messages } = await agent.approvals.resolve({ id: approvalId, approved: true });
      expect(roles(messages)).toBe('user assistant(b,a) tool(b) tool(a) assistant');
      expect(resultOf(messages, 'a')).toBe('patched');
      expect(effects).toEqual(['a', 'b']);
    });

    it('a half decided pause: the decision is not carried over, both calls are asked again', async () => {
      const { start, ids, effects } = await paused();
      const { agent } = start();
      await agent.approvals.resolve({ id: ids[0] ?? '', approved: true });
      await agent.fork('run', { fromStep: 1 });
      const again = await agent.resume('run.fork-1');
      expect(again?.approvalIds).toHaveLength(2);
      expect(effects).toEqual(['a']);
      await agent.approvals.resolve({ id: ids[1] ?? '', approved: true });
      expect(effects).toEqual(['a', 'b', 'c']);
    });

    it('C15 a call that was approved and started is interrupted in the fork too, never run again', async () => {
      const { open, start, ids, effects } = await paused();
      await start().agent.approvals.resolve({ id: ids[0] ?? '', approved: true });
      // Dies when the first of the approved calls has run, before its result is saved.
      const saves = nth(3, 'checkpoints.saveIfLeased');
      const dying = mortal(open(), { before: (name) => saves(name) });
      await start({ store: dying.store, toolConcurrency: 1 })
        .agent.approvals.resolve({ id: ids[1] ?? '', approved: true })
        .catch(() => undefined);
      const source = (await open().checkpoints.load('run')) as Checkpoint;
      const started = source.startedToolCallIds ?? [];
      expect(started.length).toBeGreaterThan(0);
      const ran = effects.filter((id) => started.includes(id));

      const { agent } = start();
      const fork = await agent.fork('run', { fromStep: 1 });
      expect(fork.checkpoint.startedToolCallIds).toEqual(started);
      let result = await agent.resume('run.fork-1');
      for (const id of result?.approvalIds ?? [])
        result = await agent.approvals.resolve({ id, approved: true });
      const messages = result?.messages ?? [];
      for (const id of started) {
        const here = resultOf(messages, id);
        if (here !== `${id} done`) expect(here).toMatchObject({ kind: 'interrupted', isError: true });
      }
      expect(effects.filter((id) => started.includes(id))).toEqual(ran);
      expect(result?.finishReason).toBe('stop');
    });

    it('C15 so is one that its tool allows once without asking', async () => {
      const { open } = newStorage();
      const effects: string[] = [];
      const { start } = office(open, { turns: [calls('once'), 'done'] });
      const once = countingTool({
        name: 'once',
        effects,
        rerun: 'never',
      });
      const saves = nth(3, 'checkpoints.saveIfLeased');
      const dying = mortal(open(), { before: (name) => saves(name) });
      await start({ store: dying.store, tools: [once] })
        .agent.send('Go', { sessionId: 'run' })
        .catch(() => undefined);
      expect(effects).toEqual(['once']);
      const { agent } = start({ tools: [once] });
      await agent.fork('run', { fromStep: 1 });
      const forked = await agent.resume('run.fork-1');
      expect(resultOf(forked?.messages ?? [], 'once')).toMatchObject({ kind: 'interrupted' });
      const source = await agent.resume('run');
      expect(resultOf(source?.messages ?? [], 'once')).toMatchObject({ kind: 'interrupted' });
      expect(effects).toEqual(['once']);
    });

    it('drops the error of an earlier attempt', async () => {
      const { open } = newStorage();
      const refused = Object.assign(new Error('bad request'), { status: 400 });
      const { start } = office(open, { turns: [calls('a'), refused], open: ['a'] });
      await start()
        .agent.send('Go', { sessionId: 'run' })
        .catch(() => undefined);
      expect(await open().checkpoints.load('run')).toMatchObject({ attempts: 1 });
      const { agent } = start({ turns: [calls('a'), 'fine'] });
      await agent.fork('run', { fromStep: 1 });
      expect((await agent.pending()).find((run) => run.sessionId === 'run.fork-1')).not.toHaveProperty(
        'lastError',
      );
      expect((await agent.resume('run.fork-1'))?.text).toBe('fine');
      expect(await open().checkpoints.load('run')).toMatchObject({ attempts: 1 });
    });
  });
});
