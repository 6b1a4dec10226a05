import type { PendingApproval } from '@lousho/core/contract';
import { expect, test } from 'vitest';
import { checkpoint, user } from './support/checkpoint.js';
import { connect, count } from './support/database.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';
import { virtualClock } from './support/virtual-clock.js';

const HOUR = 3_600_000;

test('finished checkpoints, decided approvals and transcripts older than the cutoff go, younger ones stay', async () => {
  const clock = virtualClock();
  const path = temporaryDatabase();
  const store = openStore(path, { clock });
  const fill = async (name: string) => {
    await store.checkpoints.save(
      name,
      checkpoint({ sessionId: name, status: 'finished', messages: [user('a')] }),
    );
    await store.approvals.save(approval(name), {});
    await store.approvals.decide(name, { id: name, approved: true });
    await store.sessions.saveIf(name, 0, [user('a')]);
  };
  await fill('old');
  clock.advance(2 * HOUR);
  await fill('young');
  expect(await store.prune({ olderThanMs: HOUR })).toEqual({ checkpoints: 1, approvals: 1, sessions: 1 });
  expect((await store.checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual(['young']);
  expect(await store.approvals.load('old')).toBeNull();
  expect(await store.approvals.load('young')).not.toBeNull();
  expect(await store.sessions.load('old')).toBeNull();
  expect(await store.sessions.load('young')).not.toBeNull();
  const db = connect(path);
  expect([count(db, 'history'), count(db, 'messages')]).toEqual([1, 1]);
  expect(await store.prune({ olderThanMs: HOUR })).toEqual({ checkpoints: 0, approvals: 0, sessions: 0 });
});

test('what is in progress, leased, waiting or undecided stays, however old', async () => {
  const clock = virtualClock();
  const store = openStore(temporaryDatabase(), { clock });
  await store.checkpoints.save('running', checkpoint({ sessionId: 'running' }));
  await store.checkpoints.save('waiting', checkpoint({ sessionId: 'waiting', status: 'awaiting-approval' }));
  await store.checkpoints.save('leased', checkpoint({ sessionId: 'leased', status: 'finished' }));
  await store.checkpoints.save('chat.turn-2', checkpoint({ sessionId: 'chat.turn-2' }));
  await store.approvals.save(approval('undecided'), {});
  await store.approvals.save(approval('decided', 'waiting'), {});
  await store.approvals.decide('decided', { id: 'decided', approved: true });
  await store.sessions.saveIf('chat', 0, [user('a')]);
  clock.advance(1_000 * HOUR);
  await store.checkpoints.acquireLease('leased', 'worker-a', 30_000);
  expect(await store.prune({ olderThanMs: HOUR })).toEqual({ checkpoints: 0, approvals: 0, sessions: 0 });

  await store.checkpoints.releaseLease('leased', 'worker-a');
  for (const sessionId of ['waiting', 'chat.turn-2']) {
    await store.checkpoints.save(sessionId, checkpoint({ sessionId, status: 'finished' }));
  }
  expect(await store.prune({ olderThanMs: HOUR })).toEqual({ checkpoints: 1, approvals: 1, sessions: 1 });
});

test("a deleted checkpoint's kept history goes too", async () => {
  const clock = virtualClock();
  const store = openStore(temporaryDatabase(), { clock });
  await store.checkpoints.save('refund-42', checkpoint({ status: 'in-progress' }));
  await store.checkpoints.delete('refund-42', { keepHistory: true });
  clock.advance(2 * HOUR);
  expect(await store.prune({ olderThanMs: HOUR })).toMatchObject({ checkpoints: 0 });
  expect(await store.checkpoints.history('refund-42')).toEqual([]);
});

test('a pruned transcript starts over without using a revision twice', async () => {
  const clock = virtualClock();
  const store = openStore(temporaryDatabase(), { clock });
  await store.sessions.saveIf('chat', 0, [user('a')]);
  clock.advance(2 * HOUR);
  await store.prune({ olderThanMs: HOUR });
  expect(await store.sessions.saveIf('chat', 1, [user('b')])).toBe(false);
  expect(await store.sessions.saveIf('chat', 0, [user('b')])).toBe(true);
  expect(await store.sessions.load('chat')).toEqual({ revision: 2, messages: [user('b')] });
});

test('more records than one transaction takes are all pruned', async () => {
  const clock = virtualClock();
  const store = openStore(temporaryDatabase(), { clock });
  const ids = Array.from({ length: 250 }, (_, at) => `job-${at}`);
  await Promise.all(
    ids.map((sessionId) => store.checkpoints.save(sessionId, checkpoint({ sessionId, status: 'finished' }))),
  );
  clock.advance(2 * HOUR);
  expect(await store.prune({ olderThanMs: HOUR })).toMatchObject({ checkpoints: 250 });
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a cutoff of %s is refused', async (olderThanMs) => {
  await expect(openStore(':memory:').prune({ olderThanMs })).rejects.toMatchObject({
    code: 'LOUSHO_CONFIG_INVALID',
  });
});

function approval(id: string, sessionId?: string): PendingApproval {
  const createdAt = '2030-01-01T00:00:00.000Z';
  return {
    id,
    toolCallId: 'call-1',
    toolName: 'refund',
    args: {},
    createdAt,
    ...(sessionId && { sessionId }),
  };
}
