import { existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import type { Checkpoint } from '@lousho/core/contract';
import { fileStore } from '@lousho/store-file';
import { describe, expect, it } from 'vitest';
import { checkpoint, user } from './support/checkpoint.js';
import { tempDir } from './support/temp-dir.js';
import { virtualTime } from './support/virtual-time.js';

const DAY = 86_400_000;

describe('prune', () => {
  it('removes what is over and old, and nothing that somebody still needs', async () => {
    const [dir, time] = [tempDir(), virtualTime()];
    const store = fileStore(dir, { clock: time.clock });
    const save = (sessionId: string, facts: Partial<Checkpoint> = {}) =>
      store.checkpoints.save(sessionId, checkpoint({ sessionId, ...facts }));
    await save('done', { status: 'finished' });
    await save('going');
    await save('waiting', { status: 'awaiting-approval' });
    await save('leased', { status: 'finished' });
    await store.checkpoints.acquireLease?.('leased', 'worker-a', DAY);
    await save('kept-history');
    await store.checkpoints.delete('kept-history', { keepHistory: true });
    await save('chat.turn-1');
    await store.sessions.saveIf('chat', 0, [user('hello')]);
    await store.sessions.saveIf('old-chat', 0, [user('hello')]);
    for (const id of ['open', 'decided']) {
      await store.approvals.save(
        { id, toolCallId: 'c', toolName: 't', args: {}, createdAt: '2020-01-01' },
        {},
      );
    }
    await store.approvals.decide('decided', { id: 'decided', approved: true });
    time.advance(DAY);
    await save('young', { status: 'finished' });
    expect(await store.prune({ olderThanMs: DAY })).toEqual({ checkpoints: 0, approvals: 0, sessions: 0 });
    time.advance(1);
    expect(await store.prune({ olderThanMs: DAY })).toEqual({ checkpoints: 1, approvals: 1, sessions: 1 });
    expect((await store.checkpoints.list?.())?.map(({ sessionId }) => sessionId)).toEqual([
      'chat.turn-1',
      'going',
      'leased',
      'waiting',
      'young',
    ]);
    expect(await store.checkpoints.history?.('kept-history')).toEqual([]);
    expect((await store.approvals.list()).map(({ id }) => id)).toEqual(['open']);
    expect(await store.sessions.load('chat')).not.toBeNull();
    expect(existsSync(`${dir}/checkpoints/done`)).toBe(false);
    await store.close();
  });

  it('lets a later session of the same id go on above the revisions of the removed one', async () => {
    const time = virtualTime();
    const store = fileStore(tempDir(), { clock: time.clock });
    for (let revision = 0; revision < 3; revision++)
      await store.sessions.saveIf('chat', revision, [user('x')]);
    time.advance(DAY);
    await store.prune({ olderThanMs: 1 });
    expect(await store.sessions.load('chat')).toBeNull();
    expect(await store.sessions.saveIf('chat', 3, [user('late')])).toBe(false);
    expect(await store.sessions.saveIf('chat', 0, [user('new')])).toBe(true);
    expect((await store.sessions.load('chat'))?.revision).toBeGreaterThan(3);
  });

  it('removes half-made logs of processes that died, once they are an hour old', async () => {
    const dir = tempDir();
    const store = fileStore(dir);
    await store.checkpoints.save('r1', checkpoint({ sessionId: 'r1' }));
    mkdirSync(`${dir}/checkpoints/.new-old`);
    mkdirSync(`${dir}/checkpoints/.new-young`);
    const twoHoursAgo = (Date.now() - 7_200_000) / 1_000;
    utimesSync(`${dir}/checkpoints/.new-old`, twoHoursAgo, twoHoursAgo);
    await store.prune({ olderThanMs: DAY });
    expect(readdirSync(`${dir}/checkpoints`).sort()).toEqual(['.new-young', 'r1']);
  });

  it('refuses an age that is none', async () => {
    const store = fileStore(tempDir());
    for (const olderThanMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(store.prune({ olderThanMs })).rejects.toMatchObject({ code: 'LOUSHO_CONFIG_INVALID' });
    }
  });
});

describe('what is stored', () => {
  it('is readable for its owner only', async () => {
    const dir = `${tempDir()}/made`;
    const store = fileStore(dir);
    await store.checkpoints.acquireLease?.('r1', 'worker-a', 1_000);
    const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    for (const path of ['', ...paths]) {
      const stat = statSync(`${dir}/${path}`);
      expect([path, stat.mode & 0o777]).toEqual([path, stat.isDirectory() ? 0o700 : 0o600]);
    }
  });

  it('is given up by close(), which may be called twice', async () => {
    const dir = tempDir();
    const store = fileStore(dir);
    await store.checkpoints.acquireLease?.('r1', 'worker-a', 1_000);
    await store.close();
    await store.close();
    expect(readdirSync(`${dir}/heartbeats`)).toEqual([]);
    await expect(store.checkpoints.load('r1')).rejects.toMatchObject({ code: 'LOUSHO_STORE_CLOSED' });
  });
});
