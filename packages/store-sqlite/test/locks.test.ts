import { setTimeout as delay } from 'node:timers/promises';
import { SqliteStore } from '@lousho/store-sqlite';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { pauseMs } from '../src/lock-wait.js';
import type { SqliteApprovalTable } from '../src/sqlite-approval-table.js';
import { checkpoint } from './support/checkpoint.js';
import { startChild } from './support/child.js';
import { connect, count } from './support/database.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';

test('a save that waits for the lock of another process lets timers run, and succeeds once it is free', async () => {
  const path = temporaryDatabase();
  const store = openStore(path);
  const holder = startChild('hold-lock.mjs', [path]);
  expect(await holder.line()).toBe('locked');

  let isSaved = false;
  const saving = store.checkpoints.save('refund-42', checkpoint()).then(() => {
    isSaved = true;
  });
  for (let tick = 0; tick < 20; tick++) await delay(5);
  expect(isSaved).toBe(false);
  expect(await store.checkpoints.load('refund-42')).toBeNull();

  holder.process.stdin.end();
  await saving;
  expect(await store.checkpoints.load('refund-42')).toEqual(checkpoint());
});

test('a lock that outlasts the bound is LOUSHO_STORAGE_BUSY, and nothing is written', async () => {
  const path = temporaryDatabase();
  const store = openStore(path, { busyTimeoutMs: 60 });
  const holder = startChild('hold-lock.mjs', [path]);
  await holder.line();
  await expect(store.checkpoints.save('refund-42', checkpoint())).rejects.toMatchObject({
    code: 'LOUSHO_STORAGE_BUSY',
    retryable: true,
  });
  holder.process.stdin.end();
  await store.checkpoints.save('refund-43', checkpoint({ sessionId: 'refund-43' }));
  expect(await store.checkpoints.load('refund-42')).toBeNull();
});

test('writes that waited for a lock are applied in the order in which they were asked for', async () => {
  const path = temporaryDatabase();
  const store = openStore(path);
  const holder = startChild('hold-lock.mjs', [path]);
  await holder.line();
  const saving = [1, 2, 3].map(async (revision) => {
    await delay(revision * 20);
    await store.checkpoints.save('refund-42', checkpoint({ revision }));
  });
  await delay(90);
  holder.process.stdin.end();
  await Promise.all(saving);
  const history = await store.checkpoints.history('refund-42');
  expect(history.map((entry) => entry.checkpoint.revision)).toEqual([3, 2, 1]);
});

test('processes that write one file at once all succeed', async () => {
  const path = temporaryDatabase();
  const children = ['a', 'b', 'c', 'd'].map((id) => startChild('save-many.mjs', [path, id, '50']));
  expect(await Promise.all(children.map((child) => child.line()))).toEqual(Array(4).fill('saved'));
  expect(count(connect(path), 'history')).toBe(200);
});

test('a transaction holds the lock before its first read', async () => {
  const path = temporaryDatabase();
  const store = openStore(path);
  const rival = new Sqlite(path, { timeout: 0 });
  onTestFinished(() => {
    rival.close();
  });
  const { connection } = store.approvals.table as SqliteApprovalTable;
  await connection.write(() => {
    expect(() => rival.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
  });
});

test('two store objects on one file see what the other wrote at once', async () => {
  const path = temporaryDatabase();
  const [a, b] = [openStore(path), openStore(path)];
  await a.checkpoints.save('refund-42', checkpoint({ stepIndex: 1 }));
  expect(await b.checkpoints.load('refund-42')).toMatchObject({ stepIndex: 1 });
  await b.checkpoints.delete('refund-42');
  expect(await a.checkpoints.load('refund-42')).toBeNull();
  expect(await a.checkpoints.acquireLease('refund-42', 'worker-a', 30_000)).toEqual({ epoch: 1 });
  expect(await b.checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toBe(false);
});

test('close() waits for the writes that were asked for, also while another process holds the lock', async () => {
  const path = temporaryDatabase();
  const store = new SqliteStore(path);
  const holder = startChild('hold-lock.mjs', [path]);
  await holder.line();
  const saving = store.checkpoints.save('refund-42', checkpoint());
  const closing = store.close();
  holder.process.stdin.end();
  await Promise.all([saving, closing]);
  expect(await openStore(path).checkpoints.load('refund-42')).toEqual(checkpoint());
});

test('pauses grow, stay bounded and differ from each other', () => {
  expect(pauseMs(1, () => 0)).toBe(1);
  expect(pauseMs(1, () => 1)).toBe(2);
  expect(pauseMs(4, () => 0)).toBe(8);
  expect(pauseMs(1_000, () => 1)).toBe(64);
});
