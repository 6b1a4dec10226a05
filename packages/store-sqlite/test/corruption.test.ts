import { closeSync, openSync, writeSync } from 'node:fs';
import { CheckpointCorruptError } from '@lousho/core/contract';
import { SqliteStore } from '@lousho/store-sqlite';
import type { Database } from 'better-sqlite3';
import { expect, test } from 'vitest';
import { checkpoint, user } from './support/checkpoint.js';
import { connect } from './support/database.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';

const DAMAGES: readonly (readonly [string, string])[] = [
  ['a head that is cut off', `UPDATE history SET head = substr(head, 1, 10) WHERE session_key = 2`],
  ['a head that is no checkpoint', `UPDATE history SET head = '[]' WHERE session_key = 2`],
  ['a missing head', `DELETE FROM history WHERE session_key = 2`],
];

test.each<readonly [string, string]>([
  ...DAMAGES,
  ['a message that is cut off', `UPDATE messages SET body = '{"role":' WHERE session_key = 2 AND idx = 1`],
  ['a missing message', `DELETE FROM messages WHERE session_key = 2 AND idx = 0`],
  ['a missing last message', `DELETE FROM messages WHERE session_key = 2 AND idx = 1`],
])('%s is the fault of its id only', async (_, damage) => {
  const { store, db } = await threeRuns();
  db.exec(damage);
  await expect(store.checkpoints.load('job-2')).rejects.toSatisfy(
    (error) => error instanceof CheckpointCorruptError && error.sessionId === 'job-2',
  );
  const listing = await store.checkpoints.list();
  expect(listing.map(({ sessionId }) => sessionId)).toEqual(['job-1', 'job-2', 'job-3']);
  expect(listing[1]?.checkpoint.lastError).toMatchObject({
    code: 'LOUSHO_CHECKPOINT_CORRUPT',
    retryable: false,
  });
  expect(await store.checkpoints.load('job-3')).toMatchObject({ messages: [user('a'), user('b')] });
});

test.each(DAMAGES)('listPending() shows %s as a corrupt checkpoint', async (_, damage) => {
  const { store, db } = await threeRuns();
  db.exec(damage);
  const pending = await store.checkpoints.listPending();
  expect(pending.map(({ sessionId, lastError }) => [sessionId, lastError?.code])).toEqual([
    ['job-1', undefined],
    ['job-2', 'LOUSHO_CHECKPOINT_CORRUPT'],
    ['job-3', undefined],
  ]);
});

test('a save of the whole transcript repairs a missing message', async () => {
  const { store, db } = await threeRuns();
  db.exec('DELETE FROM messages WHERE session_key = 2 AND idx = 0');
  const whole = checkpoint({ sessionId: 'job-2', messages: [user('a'), user('b')] });
  await store.checkpoints.save('job-2', whole);
  expect(await store.checkpoints.load('job-2')).toEqual(whole);
});

test('a corrupt id can be deleted', async () => {
  const { store, db } = await threeRuns();
  db.exec('DELETE FROM history WHERE session_key = 2');
  await store.checkpoints.delete('job-2');
  expect(await store.checkpoints.load('job-2')).toBeNull();
});

test('a damaged page is the fault of the id whose rows it holds', async () => {
  const path = temporaryDatabase();
  const store = new SqliteStore(path);
  const long = Array.from({ length: 60 }, (_, at) => user(`${at} ${'x'.repeat(1_000)}`));
  for (const sessionId of ['job-1', 'job-2', 'job-3']) {
    const messages = sessionId === 'job-2' ? long : [user('a')];
    await store.checkpoints.save(sessionId, checkpoint({ sessionId, messages }));
  }
  await store.close();
  const leaves = connect(path)
    .prepare<[], number>(
      "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno",
    )
    .pluck()
    .all();
  scribble(path, leaves[Math.floor(leaves.length / 2)] ?? 0, 0);

  const { checkpoints } = openStore(path);
  await expect(checkpoints.load('job-2')).rejects.toBeInstanceOf(CheckpointCorruptError);
  const codes = (await checkpoints.list()).map(({ checkpoint: { lastError } }) => lastError?.code);
  expect(codes).toEqual([undefined, 'LOUSHO_CHECKPOINT_CORRUPT', undefined]);
});

test('a file whose schema is damaged is LOUSHO_STORAGE_FAILED, not to be tried again', async () => {
  const path = temporaryDatabase();
  await new SqliteStore(path).close();
  scribble(path, 1, 100);
  expect(() => new SqliteStore(path)).toThrow(
    expect.objectContaining({ code: 'LOUSHO_STORAGE_FAILED', retryable: false }),
  );
});

/** Overwrites the rest of a page from `offset` on. */
function scribble(path: string, page: number, offset: number): void {
  const handle = openSync(path, 'r+');
  writeSync(handle, Buffer.alloc(4096 - offset, 0xff), 0, 4096 - offset, (page - 1) * 4096 + offset);
  closeSync(handle);
}

async function threeRuns(): Promise<{ store: ReturnType<typeof openStore>; db: Database }> {
  const path = temporaryDatabase();
  const store = openStore(path);
  for (const sessionId of ['job-1', 'job-2', 'job-3']) {
    await store.checkpoints.save(sessionId, checkpoint({ sessionId, messages: [user('a'), user('b')] }));
  }
  return { store, db: connect(path) };
}
