import { existsSync } from 'node:fs';
import { SqliteStore } from '@lousho/store-sqlite';
import { expect, test } from 'vitest';
import { checkpoint } from './support/checkpoint.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';
import { virtualClock } from './support/virtual-clock.js';

test('close() finishes what was asked for before it and merges the log into the database', async () => {
  const path = temporaryDatabase();
  const store = new SqliteStore(path);
  const saving = store.checkpoints.save('refund-42', checkpoint());
  await store.close();
  await saving;
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(await openStore(path).checkpoints.load('refund-42')).toEqual(checkpoint());
});

test('close() is safe to call twice, and calls after it are LOUSHO_STORE_CLOSED', async () => {
  const store = new SqliteStore(':memory:');
  await Promise.all([store.close(), store.close()]);
  await store.close();
  const closed = { code: 'LOUSHO_STORE_CLOSED' };
  await expect(store.checkpoints.save('refund-42', checkpoint())).rejects.toMatchObject(closed);
  await expect(store.checkpoints.load('refund-42')).rejects.toMatchObject(closed);
  await expect(store.approvals.list()).rejects.toMatchObject(closed);
  await expect(store.sessions.load('chat-1')).rejects.toMatchObject(closed);
  await expect(store.prune({ olderThanMs: 0 })).rejects.toMatchObject(closed);
});

test('close() lets a prune that is under way reach its end', async () => {
  const clock = virtualClock();
  const store = new SqliteStore(':memory:', { clock });
  const ids = Array.from({ length: 250 }, (_, at) => `job-${at}`);
  await Promise.all(
    ids.map((sessionId) => store.checkpoints.save(sessionId, checkpoint({ sessionId, status: 'finished' }))),
  );
  clock.advance(2);
  const pruning = store.prune({ olderThanMs: 1 });
  await store.close();
  expect(await pruning).toEqual({ checkpoints: 250, approvals: 0, sessions: 0 });
});
