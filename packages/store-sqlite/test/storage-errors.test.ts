import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { SqliteStore } from '@lousho/store-sqlite';
import { expect, test } from 'vitest';
import type { SqliteApprovalTable } from '../src/sqlite-approval-table.js';
import { codedError } from '../src/sqlite-errors.js';
import { checkpoint, user } from './support/checkpoint.js';
import { startChild } from './support/child.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';

// Root may write everywhere, so the permissions are tried as another user.
const ids = process.getuid?.() === 0 ? { uid: 65_534 } : {};

test('a folder that cannot be written is LOUSHO_STORAGE_READ_ONLY', async () => {
  const path = temporaryDatabase();
  chmodSync(dirname(path), 0o555);
  expect(await startChild('try-open.mjs', [path], ids).line()).toBe('LOUSHO_STORAGE_READ_ONLY');
});

test('a file that cannot be written is LOUSHO_STORAGE_READ_ONLY', async () => {
  const path = temporaryDatabase();
  await new SqliteStore(path).close();
  chmodSync(dirname(path), 0o777);
  chmodSync(path, 0o444);
  expect(await startChild('try-open.mjs', [path], ids).line()).toBe('LOUSHO_STORAGE_READ_ONLY');
});

test('a file that can be written in a folder that cannot is LOUSHO_STORAGE_READ_ONLY: its log has no place', async () => {
  const path = temporaryDatabase();
  await new SqliteStore(path).close();
  chmodSync(path, 0o666);
  chmodSync(dirname(path), 0o555);
  expect(await startChild('try-open.mjs', [path], ids).line()).toBe('LOUSHO_STORAGE_READ_ONLY');
});

test('a full database refuses the save, keeps what was there, and saves again once there is room', async () => {
  const store = openStore(temporaryDatabase());
  await store.checkpoints.save('refund-42', checkpoint({ revision: 1, messages: [user('first')] }));
  const big = checkpoint({ revision: 2, messages: [user('first'), user('x'.repeat(1_000_000))] });

  limitPages(store, 40);
  await expect(store.checkpoints.save('refund-42', big)).rejects.toMatchObject({
    code: 'LOUSHO_STORAGE_FULL',
    retryable: true,
  });
  expect(await store.checkpoints.load('refund-42')).toMatchObject({ revision: 1, messages: [user('first')] });
  expect(await store.checkpoints.history('refund-42')).toHaveLength(1);

  limitPages(store, 10_000);
  await store.checkpoints.save('refund-42', big);
  expect(await store.checkpoints.load('refund-42')).toEqual(big);
});

test('a save that finds no room does not take its neighbours of the same turn down', async () => {
  const store = openStore(temporaryDatabase());
  limitPages(store, 40);
  const outcomes = await Promise.allSettled([
    store.checkpoints.save('a', checkpoint({ sessionId: 'a' })),
    store.checkpoints.save('b', checkpoint({ sessionId: 'b', messages: [user('x'.repeat(1_000_000))] })),
    store.checkpoints.save('c', checkpoint({ sessionId: 'c' })),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await store.checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual(['a', 'c']);
});

test.each([
  ['SQLITE_BUSY', 'LOUSHO_STORAGE_BUSY', true],
  ['SQLITE_BUSY_SNAPSHOT', 'LOUSHO_STORAGE_BUSY', true],
  ['SQLITE_FULL', 'LOUSHO_STORAGE_FULL', true],
  ['ENOSPC', 'LOUSHO_STORAGE_FULL', true],
  ['SQLITE_READONLY_DBMOVED', 'LOUSHO_STORAGE_READ_ONLY', false],
  ['EROFS', 'LOUSHO_STORAGE_READ_ONLY', false],
  ['SQLITE_NOTADB', 'LOUSHO_STORAGE_INCOMPATIBLE', false],
  ['SQLITE_CORRUPT', 'LOUSHO_STORAGE_FAILED', false],
  ['SQLITE_CORRUPT_INDEX', 'LOUSHO_STORAGE_FAILED', false],
  ['SQLITE_IOERR_FSYNC', 'LOUSHO_STORE_OUTCOME_UNKNOWN', true],
])('%s becomes %s', (code, coded, retryable) => {
  const cause = Object.assign(new Error('the cause'), { code });
  expect(codedError(cause, 'SqliteStore(./jobs.db).save()')).toMatchObject({
    code: coded,
    retryable,
    cause,
    detail: expect.stringMatching(/^SqliteStore\(\.\/jobs\.db\)\.save\(\): the cause/),
  });
});

test('an error that is not of SQLite or the file system is left alone', () => {
  expect(codedError(new Error('plain'), 'here')).toBeUndefined();
});

/** Stands in for a full disk; SQLite keeps this limit per connection, so it is set on the store's own. */
function limitPages(store: SqliteStore, pages: number): void {
  (store.approvals.table as SqliteApprovalTable).connection.db.pragma(`max_page_count = ${pages}`);
}
