import { expect, test } from 'vitest';
import { checkpoint } from './support/checkpoint.js';
import { commitsInLog } from './support/database.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';

const ids = Array.from({ length: 20 }, (_, at) => `job-${at}`);

test('all writes of one turn of the event loop are one transaction', async () => {
  const path = temporaryDatabase();
  const store = openStore(path);
  await store.checkpoints.save('refund-42', checkpoint());
  const before = commitsInLog(path);
  await Promise.all([
    ...ids.map((sessionId) => store.checkpoints.save(sessionId, checkpoint({ sessionId }))),
    store.checkpoints.acquireLease('refund-42', 'worker-a', 30_000),
    store.sessions.saveIf('chat-1', 0, []),
    store.approvals.delete('none'),
  ]);
  expect(commitsInLog(path) - before).toBe(1);
  expect(await store.checkpoints.list()).toHaveLength(ids.length + 1);
});

test('each write of a transaction gets its own answer', async () => {
  const store = openStore(temporaryDatabase());
  await store.checkpoints.acquireLease('job-1', 'worker-a', 30_000);
  await store.checkpoints.acquireLease('job-2', 'worker-b', 30_000);
  const answers = await Promise.all([
    store.checkpoints.saveIfLeased('job-1', checkpoint({ sessionId: 'job-1' }), 'worker-a'),
    store.checkpoints.saveIfLeased('job-2', checkpoint({ sessionId: 'job-2' }), 'worker-a'),
    store.checkpoints.acquireLease('job-3', 'worker-a', 30_000),
    store.sessions.saveIf('chat-1', 4, []),
    store.sessions.saveIf('chat-1', 0, []),
  ]);
  expect(answers).toEqual([true, false, { epoch: 3 }, false, true]);
});

test('one renewal of many leases is one transaction with one answer each', async () => {
  const path = temporaryDatabase();
  const store = openStore(path);
  await Promise.all(ids.map((id) => store.checkpoints.acquireLease(id, 'worker-a', 30_000)));
  await store.checkpoints.releaseLease('job-7', 'worker-a');
  const before = commitsInLog(path);
  const refs = ids.map((sessionId) => ({ sessionId, owner: 'worker-a' }));
  const answers = await store.checkpoints.renewLeases(refs, 30_000);
  expect(commitsInLog(path) - before).toBe(1);
  expect(answers).toEqual(ids.map((id) => id !== 'job-7'));
});

test('calls of later turns are transactions of their own', async () => {
  const path = temporaryDatabase();
  const store = openStore(path);
  await store.checkpoints.save('refund-42', checkpoint());
  const before = commitsInLog(path);
  for (const stepIndex of [1, 2, 3]) await store.checkpoints.save('refund-42', checkpoint({ stepIndex }));
  expect(commitsInLog(path) - before).toBe(3);
});
