import { existsSync, statSync } from 'node:fs';
import type { Message } from '@lousho/core/contract';
import { SqliteStore } from '@lousho/store-sqlite';
import { expect, test } from 'vitest';
import { checkpoint, user } from './support/checkpoint.js';
import { connect, count } from './support/database.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';

const texts = (messages: readonly Message[]) => messages.map((message) => message.content);

test('history entries share the rows of their messages', async () => {
  const path = temporaryDatabase();
  const { checkpoints } = openStore(path);
  const messages = Array.from({ length: 30 }, (_, at) => user(`message ${at}`));
  for (let revision = 1; revision <= 30; revision++) {
    await checkpoints.save('refund-42', checkpoint({ revision, messages: messages.slice(0, revision) }), {
      unchangedMessages: revision - 1,
    });
  }
  const db = connect(path);
  expect(count(db, 'messages')).toBe(30);
  expect(count(db, 'history')).toBe(30);
  const history = await checkpoints.history('refund-42');
  expect(history.map((entry) => entry.checkpoint.messages.length)).toEqual(messages.map((_, at) => 30 - at));
});

test('a save whose caller vouches for nothing writes only the rows that differ', async () => {
  const path = temporaryDatabase();
  const { checkpoints } = openStore(path);
  const messages = [user('a'), user('b'), user('c')];
  await checkpoints.save('refund-42', checkpoint({ revision: 1, messages }));
  await checkpoints.save('refund-42', checkpoint({ revision: 2, messages: [...messages, user('d')] }));
  await checkpoints.save('refund-42', checkpoint({ messages: [...messages, user('d')] }));
  expect(count(connect(path), 'messages')).toBe(4);
});

test('a changed message is a new row, and every history entry keeps its own', async () => {
  const path = temporaryDatabase();
  const { checkpoints } = openStore(path);
  await checkpoints.save(
    'refund-42',
    checkpoint({ revision: 1, messages: [user('a'), user('b'), user('c')] }),
  );
  await checkpoints.save(
    'refund-42',
    checkpoint({ revision: 2, messages: [user('a'), user('B'), user('c')] }),
  );
  await checkpoints.save('refund-42', checkpoint({ revision: 3, messages: [user('a')] }));
  await checkpoints.save('refund-42', checkpoint({ revision: 4, messages: [user('a'), user('z')] }));
  expect(count(connect(path), 'messages')).toBe(5);
  const history = await checkpoints.history('refund-42');
  expect(history.map((entry) => texts(entry.checkpoint.messages))).toEqual([
    ['a', 'z'],
    ['a'],
    ['a', 'B', 'c'],
    ['a', 'b', 'c'],
  ]);
  expect(texts((await checkpoints.load('refund-42'))?.messages ?? [])).toEqual(['a', 'z']);
});

test('what no kept save sees any more is removed with the save that drops its last one', async () => {
  const path = temporaryDatabase();
  const { checkpoints } = openStore(path, { historyLimit: 3 });
  const db = connect(path);
  await checkpoints.save('refund-42', checkpoint({ messages: [user('old 1'), user('old 2')] }));
  for (let stepIndex = 1; stepIndex <= 2; stepIndex++) {
    await checkpoints.save('refund-42', checkpoint({ stepIndex, messages: [user('compacted')] }));
    expect(count(db, 'messages')).toBe(3);
  }
  await checkpoints.save('refund-42', checkpoint({ stepIndex: 3, messages: [user('compacted')] }));
  expect(count(db, 'messages')).toBe(1);
  expect(count(db, 'history')).toBe(3);
});

test('the rows to remove are found by an index, never by a scan of the transcript', () => {
  const path = temporaryDatabase();
  openStore(path);
  const plan = connect(path)
    .prepare<[], { detail: string }>(
      'EXPLAIN QUERY PLAN DELETE FROM messages WHERE session_key = 1 AND until <= 5',
    )
    .all();
  expect(plan.map(({ detail }) => detail).join()).toContain('superseded_messages');
});

test('the unfinished ones are listed from their own index', () => {
  const path = temporaryDatabase();
  openStore(path);
  const plan = connect(path)
    .prepare<[], { detail: string }>(
      `EXPLAIN QUERY PLAN SELECT session_id FROM checkpoints
       WHERE session_id > '' AND status <> 'finished' AND status IN (SELECT value FROM json_each('["in-progress"]'))
       ORDER BY session_id LIMIT 10`,
    )
    .all();
  expect(plan.map(({ detail }) => detail).join()).toContain('unfinished_checkpoints');
});

test('without a history limit above 0 only the latest save is kept', async () => {
  const path = temporaryDatabase();
  const { checkpoints } = openStore(path, { historyLimit: 0 });
  await checkpoints.save('refund-42', checkpoint({ messages: [user('a'), user('b')] }));
  await checkpoints.save('refund-42', checkpoint({ messages: [user('a'), user('c')] }));
  expect(await checkpoints.history('refund-42')).toEqual([]);
  expect(texts((await checkpoints.load('refund-42'))?.messages ?? [])).toEqual(['a', 'c']);
  const db = connect(path);
  expect([count(db, 'history'), count(db, 'messages')]).toEqual([1, 2]);
});

test('history that outlives a delete goes on with the saves that follow', async () => {
  const { checkpoints } = openStore(temporaryDatabase());
  await checkpoints.save('refund-42', checkpoint({ revision: 1, messages: [user('a'), user('b')] }));
  await checkpoints.delete('refund-42', { keepHistory: true });
  expect(await checkpoints.load('refund-42')).toBeNull();
  expect(await checkpoints.list()).toEqual([]);
  expect(await checkpoints.history('refund-42')).toHaveLength(1);
  // Vouching has no effect: there is no stored revision to continue.
  await checkpoints.save('refund-42', checkpoint({ revision: 2, messages: [user('x')] }), {
    unchangedMessages: 1,
  });
  const history = await checkpoints.history('refund-42');
  expect(history.map((entry) => texts(entry.checkpoint.messages))).toEqual([['x'], ['a', 'b']]);
});

test('a delete leaves no row behind', async () => {
  const path = temporaryDatabase();
  const { checkpoints } = openStore(path);
  await checkpoints.save('refund-42', checkpoint({ messages: [user('a')] }));
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  await checkpoints.delete('refund-42');
  const db = connect(path);
  const left = ['checkpoints', 'history', 'messages', 'leases'].map((table) => count(db, table));
  expect(left).toEqual([0, 0, 0, 0]);
});

test('200 steps of 5 KiB with 50 history entries store less than three times the new data, log included', async () => {
  const path = temporaryDatabase();
  const store = new SqliteStore(path);
  const messages: Message[] = [];
  let newBytes = 0;
  let largest = 0;
  let revision = 0;
  for (let stepIndex = 1; stepIndex <= 200; stepIndex++) {
    const assistant: Message = { role: 'assistant', content: 'a'.repeat(1024) };
    const result: Message = { role: 'tool', toolCallId: `call-${stepIndex}`, content: 't'.repeat(4096) };
    for (const message of [assistant, result]) {
      messages.push(message);
      newBytes += JSON.stringify(message).length;
      revision++;
      await store.checkpoints.save(
        'refund-42',
        checkpoint({ revision, stepIndex, messages: [...messages] }),
        {
          unchangedMessages: messages.length - 1,
        },
      );
      largest = Math.max(largest, storedBytes(path));
    }
  }
  expect(largest / newBytes).toBeLessThan(3);
  expect(await store.checkpoints.history('refund-42')).toHaveLength(50);
  await store.close();
  expect(storedBytes(path) / newBytes).toBeLessThan(1.5);
});

function storedBytes(path: string): number {
  return [path, `${path}-wal`]
    .map((file) => (existsSync(file) ? statSync(file).size : 0))
    .reduce((a, b) => a + b);
}
