import { approval, checkpoint } from '@lousho/conformance';
import { type BundledStore, copyStore, createAgent, defineTool, encrypted } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keys } from '../encryption/support/keys.js';

const moved = { code: 'LOUSHO_RUN_MOVED' };

function agentOn(store: BundledStore, paid: string[], script: Parameters<typeof mockModel>[0] = ['Done.']) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.looseObject({}),
    needsApproval: true,
    execute: async (_, { sessionId = '' }) => {
      paid.push(sessionId);
      return 'paid';
    },
  });
  return createAgent({ provider: mockModel(script), store, tools: [pay] });
}

const asks = [{ toolCalls: [{ name: 'pay', args: { to: 'Ada' } }] }];

describe('what was moved', () => {
  it('goes on in the target, and is refused at the source by name', async () => {
    const [from, to] = [memoryStore(), memoryStore()];
    const paid: string[] = [];
    const paused = await agentOn(from, paid, asks).send('Pay Ada', { sessionId: 'run' });
    const turn = await agentOn(from, paid, asks).session({ id: 'chat' }).send('Pay Bob');
    await agentOn(from, paid).session({ id: 'idle' }).send('Hello');
    await agentOn(from, paid).send('Hello', { sessionId: 'finished' });
    expect(await copyStore(from, to)).toMatchObject({ isComplete: true });

    const old = agentOn(from, paid);
    for (const sessionId of ['run', 'finished']) {
      await expect(old.send('Go on', { sessionId })).rejects.toMatchObject(moved);
      await expect(old.resume(sessionId)).rejects.toMatchObject(moved);
    }
    for (const id of ['chat', 'idle']) {
      await expect(old.session({ id }).send('Go on')).rejects.toMatchObject(moved);
      await expect(old.session({ id }).discardPending()).rejects.toMatchObject(moved);
    }
    const [asked = '', askedInChat = ''] = [paused.approvalId, turn.approvalId];
    for (const id of [asked, askedInChat]) {
      await expect(old.approvals.resolve({ id, approved: true })).rejects.toMatchObject({
        code: 'LOUSHO_APPROVAL_NOT_FOUND',
      });
    }
    expect(await old.pending()).toEqual([]);
    expect(paid).toEqual([]);

    const current = agentOn(to, paid, ['Paid.', 'Paid.', 'Hello again.']);
    await current.approvals.resolve({ id: asked, approved: true });
    await current.approvals.resolve({ id: askedInChat, approved: true });
    expect(paid).toEqual(['run', 'chat.turn-0']);
    expect((await current.session({ id: 'idle' }).send('Go on')).text).toBe('Hello again.');
    // Called again, the copy leaves alone what has gone on.
    expect(await copyStore(from, to)).toMatchObject({
      checkpoints: 0,
      sessions: 0,
      approvals: 0,
      isComplete: true,
    });
    expect((await to.checkpoints.load('run'))?.status).toBe('finished');
  });

  it('refuses a decision that was on its way to the source', async () => {
    const [from, to] = [memoryStore(), memoryStore()];
    const paid: string[] = [];
    const { approvalId: id = '' } = await agentOn(from, paid, asks).send('Pay Ada', { sessionId: 'run' });
    const record = await from.approvals.load(id);
    await copyStore(from, to);
    // As if it had been read before: the run itself refuses.
    await from.approvals.save(record?.approval as never, record?.snapshot as never);
    await expect(agentOn(from, paid).approvals.resolve({ id, approved: true })).rejects.toMatchObject(moved);
    expect(paid).toEqual([]);
  });
});

describe('a copy leaves alone', () => {
  it('a run that somebody holds, at the source or in the target', async () => {
    const [from, to] = [memoryStore(), memoryStore()];
    for (const sessionId of ['free', 'held-there', 'held-here']) {
      await from.checkpoints.save(sessionId, checkpoint({ sessionId, revision: 1 }));
    }
    await from.checkpoints.acquireLease?.('held-here', 'worker-a', 30_000);
    await to.checkpoints.acquireLease?.('held-there', 'worker-b', 30_000);
    const report = await copyStore(from, to);
    expect(report).toMatchObject({ checkpoints: 1, isComplete: false });
    expect(report.busy).toEqual(['checkpoint held-here', 'checkpoint held-there']);
    expect(await to.checkpoints.ids?.()).toEqual(['free']);
    await from.checkpoints.releaseLease?.('held-here', 'worker-a');
    await to.checkpoints.releaseLease?.('held-there', 'worker-b');
    expect(await copyStore(from, to)).toMatchObject({ checkpoints: 2, moved: 1, isComplete: true });
  });

  it('what is newer in the target', async () => {
    const [from, to] = [memoryStore(), memoryStore()];
    const run = checkpoint({ sessionId: 'run', revision: 1, status: 'in-progress' });
    await from.checkpoints.save('run', run);
    await from.approvals.save(approval(), {});
    await from.sessions.saveIf('chat', 0, [{ role: 'user', content: 'a' }]);
    await copyStore(from, to, { source: 'keep' });
    await to.checkpoints.save('run', { ...run, revision: 2, status: 'finished' });
    await to.approvals.decide('approval-1', { id: 'approval-1', approved: true });
    await to.sessions.saveIf('chat', 1, [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ]);
    const report = await copyStore(from, to, { source: 'keep' });
    expect(report.newer).toEqual(['checkpoint run', 'session chat', 'approval approval-1']);
    expect((await to.checkpoints.load('run'))?.revision).toBe(2);
    expect((await to.approvals.load('approval-1'))?.decision?.approved).toBe(true);
    expect((await to.sessions.load('chat'))?.messages).toHaveLength(2);
  });

  it('what cannot be read, and copies the rest', async () => {
    const [from, to] = [memoryStore(), memoryStore()];
    const sealed = encrypted(from, keys('k1'));
    await from.checkpoints.save('bad', checkpoint({ sessionId: 'bad' }));
    await sealed.checkpoints.save('good', checkpoint({ sessionId: 'good' }));
    const report = await copyStore(sealed, to);
    expect(report).toMatchObject({ checkpoints: 1, isComplete: false, unreadable: ['checkpoint bad'] });
  });

  it.each([
    ['one store twice', (store: BundledStore) => copyStore(store, store)],
    [
      'a source that cannot list',
      (store: BundledStore) => copyStore({ checkpoints: threeMethods(store) }, memoryStore()),
    ],
    [
      'a target that lacks a part',
      (store: BundledStore) => copyStore(store, { checkpoints: memoryStore().checkpoints }),
    ],
    [
      'an unknown source',
      (store: BundledStore) => copyStore(store, memoryStore(), { source: 'delete' as never }),
    ],
  ])('everything when it is given %s', async (_, copy) => {
    await expect(copy(memoryStore())).rejects.toMatchObject({ code: 'LOUSHO_CONFIG_INVALID' });
  });

  it('a target that gives back something else', async () => {
    const from = memoryStore();
    await from.checkpoints.save('run', checkpoint({ sessionId: 'run', status: 'in-progress' }));
    const to = memoryStore();
    const forgetful = {
      ...to.checkpoints,
      ...threeMethods(to),
      load: async () => null,
      history: async () => [],
    };
    const broken = { checkpoints: forgetful, approvals: to.approvals, sessions: to.sessions };
    await expect(copyStore(from, broken)).rejects.toMatchObject({ code: 'LOUSHO_COPY_DIFFERS' });
    expect((await from.checkpoints.load('run'))?.movedAt).toBeUndefined();
  });
});

function threeMethods({ checkpoints }: BundledStore) {
  return {
    save: checkpoints.save.bind(checkpoints),
    load: checkpoints.load.bind(checkpoints),
    delete: checkpoints.delete.bind(checkpoints),
  };
}
