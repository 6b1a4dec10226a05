import { expect, test } from 'vitest';
import { step } from './support/checkpoint.js';
import { client, openStore, privateServer, replicated } from './support/servers.js';
import { until } from './support/until.js';

const FAST = { settings: { 'repl-diskless-sync-delay': '0', 'enable-debug-command': 'yes' } };

/** A primary and its replica. */
async function pair() {
  const [primary, replica] = await Promise.all([privateServer(FAST), privateServer(FAST)]);
  const [onPrimary, onReplica] = [client(primary.url), client(replica.url)];
  await onReplica.replicaof('127.0.0.1', primary.port);
  await until(async () => (await onReplica.info('replication')).includes('master_link_status:up'));
  return { primary, replica, onPrimary, onReplica };
}

test('A20 a lease that the replica had not received is gone after the failover, and its holder is fenced', async () => {
  const { primary, replica, onPrimary, onReplica } = await pair();
  const before = openStore(primary.url).checkpoints;
  await before.acquireLease('refund-42', 'worker-0', 30_000);
  await before.saveIfLeased('refund-42', step(1), 'worker-0');
  await before.releaseLease('refund-42', 'worker-0');
  await replicated(onPrimary);
  // Replication ends here: what follows is acknowledged by the primary alone.
  await onReplica.replicaof('NO', 'ONE');
  expect(await before.acquireLease('refund-42', 'worker-a', 30_000)).toBeTruthy();
  expect(await before.saveIfLeased('refund-42', step(2), 'worker-a')).toBe(true);
  await primary.kill();
  const after = openStore(replica.url).checkpoints;
  expect(await after.load('refund-42')).toEqual(step(1));
  const lease = await after.acquireLease('refund-42', 'worker-b', 30_000);
  expect(lease).toBeTruthy();
  expect(await after.saveIfLeased('refund-42', step(3), 'worker-a')).toBe(false);
  expect(await after.saveIfLeased('refund-42', step(2), 'worker-b')).toBe(true);
  const history = await after.history('refund-42');
  expect(history.map((entry) => entry.checkpoint.revision)).toEqual([2, 1]);
});

test('A20 the epoch after a failover is above the lost one', async () => {
  const { primary, replica, onReplica } = await pair();
  await onReplica.replicaof('NO', 'ONE');
  const lost = await openStore(primary.url).checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  await primary.kill();
  const next = await openStore(replica.url).checkpoints.acquireLease('refund-42', 'worker-b', 30_000);
  expect(Object(next).epoch).toBeGreaterThan(Object(lost).epoch);
});

test('A23 a replica holds what the primary holds', async () => {
  const { primary, onPrimary, onReplica } = await pair();
  const { checkpoints, sessions } = openStore(primary.url);
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  for (const revision of [1, 2, 3]) await checkpoints.saveIfLeased('refund-42', step(revision), 'worker-a');
  await checkpoints.save('refund-42', step(1));
  await sessions.saveIf('chat-1', 0, []);
  await replicated(onPrimary);
  const [here, there] = await Promise.all(
    [onPrimary, onReplica].map((redis) => redis.call('debug', 'digest')),
  );
  expect(there).toBe(here);
});

test('a write to a replica is refused with a code that says so', async () => {
  const { replica } = await pair();
  const { checkpoints } = openStore(replica.url);
  expect(await checkpoints.load('refund-42')).toBeNull();
  await expect(checkpoints.acquireLease('refund-42', 'worker-a', 30_000)).rejects.toMatchObject({
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: true,
  });
});
