import type { RedisConnection } from '@lousho/store-redis';
import { describe, expect, test } from 'vitest';
import { checkpoint, step, user } from './support/checkpoint.js';
import { recordRequests, sendAgain } from './support/requests.js';
import { client, openStore, privateServer, proxyTo } from './support/servers.js';
import { settled } from './support/settled.js';

const CLIENTS: readonly [string, (url: string) => RedisConnection][] = [
  ['a client of its own', (url) => url],
  ['a caller’s client, which sends again by itself', (url) => client(url)],
  ['a caller’s client that sends pipelines', (url) => client(url, { enableAutoPipelining: true })],
];

const APPROVAL = {
  id: 'ask-1',
  toolCallId: 'c',
  toolName: 't',
  args: {},
  createdAt: '2030-01-01T00:00:00Z',
};

async function lossy(connect: (url: string) => RedisConnection) {
  const server = await privateServer();
  const proxy = await proxyTo(server);
  const store = openStore(connect(proxy.through(server.url)));
  const sure = openStore(server.url);
  await store.checkpoints.load('warm-up');
  // The server knows the scripts, so that it is the answer to the call itself that gets lost.
  await sure.checkpoints.acquireLease('warm-up', 'worker-0', 30_000);
  await sure.checkpoints.save('warm-up', checkpoint({ sessionId: 'warm-up' }));
  await sure.approvals.save({ ...APPROVAL, id: 'warm-up' }, {});
  await sure.approvals.decide('warm-up', { id: 'warm-up', approved: true });
  await sure.sessions.saveIf('warm-up', 0, []);
  /** The server does what the next request asks for, and the answer is lost together with the connection. */
  const loseReplyTo = (word: string) => {
    let hasLost = false;
    proxy.dropReplies((request) => {
      if (hasLost || !request.includes(word)) return false;
      hasLost = true;
      return true;
    });
  };
  return { store, sure, loseReplyTo };
}

describe.each(CLIENTS)('A21 with %s', (_, connect) => {
  test('a save whose answer is lost is applied once', async () => {
    const { store, sure, loseReplyTo } = await lossy(connect);
    const { checkpoints } = store;
    await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
    for (let revision = 1; revision <= 6; revision++) {
      loseReplyTo(`message ${revision - 1}`);
      const options = { unchangedMessages: revision - 1 };
      expect(await checkpoints.saveIfLeased('refund-42', step(revision), 'worker-a', options)).toBe(true);
    }
    const history = await sure.checkpoints.history('refund-42');
    expect(history.map((entry) => entry.checkpoint.revision)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await sure.checkpoints.load('refund-42')).toEqual(step(6));
  });

  test('a plain save and one without a revision are applied once too', async () => {
    const { store, sure, loseReplyTo } = await lossy(connect);
    loseReplyTo('plain');
    await store.checkpoints.save('refund-42', checkpoint({ messages: [user('plain')] }));
    await store.checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
    loseReplyTo('leased');
    const save = checkpoint({ messages: [user('leased')] });
    expect(await store.checkpoints.saveIfLeased('refund-42', save, 'worker-a')).toBe(true);
    expect(await sure.checkpoints.history('refund-42')).toHaveLength(2);
  });

  test('a decision and a commit are answered as they were the first time', async () => {
    const { store, sure, loseReplyTo } = await lossy(connect);
    loseReplyTo('toolName');
    await store.approvals.save(APPROVAL, {});
    loseReplyTo('approved');
    expect(await store.approvals.decide('ask-1', { id: 'ask-1', approved: true })).toBe('decided');
    expect(await store.approvals.decide('ask-1', { id: 'ask-1', approved: false })).toBe('already-decided');
    for (const revision of [0, 1]) {
      loseReplyTo('commit');
      expect(await store.sessions.saveIf('chat-1', revision, [user(`commit ${revision}`)])).toBe(true);
    }
    expect(await sure.sessions.load('chat-1')).toEqual({ revision: 2, messages: [user('commit 1')] });
    expect(await sure.approvals.list()).toEqual([]);
  });

  test('an acquired lease is answered with its one epoch', async () => {
    const { store, sure, loseReplyTo } = await lossy(connect);
    loseReplyTo('worker-a');
    const lease = await store.checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
    expect(lease).toEqual({ epoch: (await sure.checkpoints.readLease('refund-42'))?.epoch });
  });
});

test('A21 a client that neither sends again nor answers still settles every call', async () => {
  const server = await privateServer();
  const proxy = await proxyTo(server);
  const redis = client(proxy.through(server.url), { autoResendUnfulfilledCommands: false });
  const { checkpoints } = openStore(redis, { deadlineMs: 400 });
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  proxy.dropReplies((request) => request.includes('message 0'));
  const save = await settled(checkpoints.saveIfLeased('refund-42', step(1), 'worker-a'));
  expect(save).toMatchObject({ code: 'LOUSHO_STORE_OUTCOME_UNKNOWN', retryable: true });
  proxy.heal();
  expect(await checkpoints.saveIfLeased('refund-42', step(1), 'worker-a')).toBe(true);
  expect(await checkpoints.history('refund-42')).toHaveLength(1);
});

test('A13 an acquire that is cut off after any of its requests leaves no lease that never ends', async () => {
  const server = await privateServer();
  const proxy = await proxyTo(server);
  const sure = openStore(server.url).checkpoints;
  // The server knows the script from here on.
  await sure.acquireLease('warm-up', 'worker-0', 30_000);
  const lifetimes: number[] = [];
  for (let requests = 0; requests <= 3; requests++) {
    const { checkpoints } = openStore(proxy.through(server.url), { deadlineMs: 500 });
    await checkpoints.load('warm-up');
    let left = requests;
    proxy.onChunk(({ direction }) => {
      if (direction === 'reply') return 'pass';
      left -= 1;
      return left < 0 ? 'cut' : 'pass';
    });
    await settled(checkpoints.acquireLease(`job-${requests}`, 'worker-a', 30_000));
    proxy.heal();
    const holder = await sure.readLease(`job-${requests}`);
    if (holder) lifetimes.push(Date.parse(`${holder.takeableAt}`) - Date.parse(`${holder.since}`));
  }
  expect(lifetimes).toEqual([30_000, 30_000, 30_000]);
});

test('A21 what comes again after other calls stays without an effect', async () => {
  const server = await privateServer();
  const proxy = await proxyTo(server);
  const { checkpoints } = openStore(proxy.through(server.url));
  const sure = openStore(server.url).checkpoints;
  await sure.save('warm-up', checkpoint({ sessionId: 'warm-up' }));
  await sure.delete('warm-up');
  const requests = recordRequests(proxy);
  await checkpoints.save('refund-42', checkpoint({ messages: [user('first')] }));
  await checkpoints.delete('refund-42');
  await sure.save('refund-42', checkpoint({ messages: [user('second')] }));
  await sure.acquireLease('refund-42', 'worker-b', 30_000);
  const late = requests.filter((bytes) => bytes.includes('evalsha') && bytes.includes('{refund-42}'));
  // The save that asks for a registration, the save, the delete.
  expect(late).toHaveLength(3);
  for (const request of late) expect(await sendAgain(server, request)).toMatch(/^\*/);
  expect(await sure.load('refund-42')).toMatchObject({ messages: [user('second')] });
  expect(await sure.history('refund-42')).toHaveLength(1);
  expect(await sure.readLease('refund-42')).toMatchObject({ owner: 'worker-b' });
});
