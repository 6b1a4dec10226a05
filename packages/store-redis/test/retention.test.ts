import { expect, test } from 'vitest';
import { step, user } from './support/checkpoint.js';
import { client, openStore, privateServer } from './support/servers.js';
import { until } from './support/until.js';

const TTL = 800;

async function setUp() {
  const { url } = await privateServer();
  const redis = client(url);
  const store = openStore(url, { ttlMs: TTL });
  const keysOf = async (id: string) => (await redis.keys(`lousho:{${id}}:*`)).sort();
  const lifetimes = async (id: string) =>
    Promise.all((await keysOf(id)).map((key) => redis.call('pexpiretime', key)));
  return { checkpoints: store.checkpoints, store, redis, keysOf, lifetimes };
}

const finished = { status: 'finished' } as const;

test('the keys of a finished run end at one instant, its lease included', async () => {
  const { checkpoints, keysOf, lifetimes } = await setUp();
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  await checkpoints.saveIfLeased('refund-42', step(2), 'worker-a');
  await checkpoints.saveIfLeased(
    'refund-42',
    { ...step(3), ...finished, messages: [user('other')] },
    'worker-a',
  );
  await checkpoints.releaseLease('refund-42', 'worker-a');
  expect(await keysOf('refund-42')).toHaveLength(5);
  const ends = (await lifetimes('refund-42')) as number[];
  expect(Math.max(...ends) - Math.min(...ends)).toBeLessThanOrEqual(2);
  expect(Math.min(...ends)).toBeGreaterThan(0);
  await until(async () => (await checkpoints.load('refund-42')) === null);
  expect(await checkpoints.history('refund-42')).toEqual([]);
  expect(await checkpoints.list()).toEqual([]);
  await until(async () => (await keysOf('refund-42')).length === 0);
});

test('a paused or unfinished run never ends, also one that was finished before', async () => {
  const { checkpoints, lifetimes } = await setUp();
  await checkpoints.save('paused', { ...step(1, 'paused'), status: 'awaiting-approval' });
  await checkpoints.save('running', step(1, 'running'));
  await checkpoints.save('again', { ...step(1, 'again'), ...finished });
  await checkpoints.save('again', step(2, 'again'), { unchangedMessages: 1 });
  await checkpoints.save('last', { ...step(1, 'last'), ...finished });
  await until(async () => (await checkpoints.load('last')) === null);
  for (const id of ['paused', 'running', 'again']) {
    expect(await checkpoints.load(id)).not.toBeNull();
    const [, ...data] = (await lifetimes(id)) as number[];
    expect(data.filter((end) => end !== -1).length).toBeLessThanOrEqual(1);
  }
  expect((await checkpoints.history('again')).map((entry) => entry.checkpoint.revision)).toEqual([2, 1]);
  expect((await checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual([
    'again',
    'paused',
    'running',
  ]);
});

test('a lease that is held outlives the run that its holder finished', async () => {
  const { checkpoints } = await setUp();
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  await checkpoints.saveIfLeased('refund-42', { ...step(1), ...finished }, 'worker-a');
  await until(async () => (await checkpoints.load('refund-42')) === null);
  expect(await checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toBe(false);
  expect(await checkpoints.saveIfLeased('refund-42', step(2), 'worker-a', { unchangedMessages: 1 })).toBe(
    true,
  );
  expect(await checkpoints.load('refund-42')).toEqual(step(2));
});

test('a store without a retention takes over a run of one with it', async () => {
  const { checkpoints, store, redis } = await setUp();
  await checkpoints.save('refund-42', { ...step(1), ...finished });
  const { host, port } = redis.options;
  const other = openStore({ host: host as string, port: port as number }).checkpoints;
  await other.save('refund-42', { ...step(2), ...finished });
  await checkpoints.save('last', { ...step(1, 'last'), ...finished });
  await until(async () => (await checkpoints.load('last')) === null);
  expect(await other.load('refund-42')).not.toBeNull();
  await store.close();
});

test('what the server has forgotten leaves the index when new runs begin', async () => {
  const { checkpoints, redis } = await setUp();
  const ids = Array.from({ length: 20 }, (_, at) => `old-${at}`);
  await Promise.all(ids.map((id) => checkpoints.save(id, { ...step(1, id), ...finished })));
  await until(async () => (await checkpoints.list()).length === 0);
  // As if they had been registered hours ago.
  await redis.hset('lousho:{*}:runs:given', Object.fromEntries(ids.map((id) => [id, '1'])));
  for (let at = 0; at < 60; at++) await checkpoints.save(`new-${at}`, step(1, `new-${at}`));
  await until(async () => {
    const left = await redis.zrange('lousho:{*}:runs:all', 0, -1);
    return left.filter((id) => id.startsWith('old-')).length <= 5;
  });
  expect(await checkpoints.list()).toHaveLength(60);
});
