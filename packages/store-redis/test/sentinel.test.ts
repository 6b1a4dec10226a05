import { startSentinel } from '@lousho/test-backends';
import { expect, onTestFinished, test } from 'vitest';
import { step } from './support/checkpoint.js';
import { client, openStore, privateServer, proxyTo, replicated } from './support/servers.js';
import { until } from './support/until.js';

const SETTINGS = { 'repl-diskless-sync-delay': '0' };

/** A primary that syncs each write, its replica, a Sentinel that knows both, and a store that asks it. */
async function guarded({ downAfterMs = 30_000 } = {}) {
  const [primary, replica] = await Promise.all([
    privateServer({ settings: SETTINGS, appendfsync: 'always' }),
    privateServer({ settings: SETTINGS, appendfsync: 'always' }),
  ]);
  await client(replica.url).replicaof('127.0.0.1', primary.port);
  const onPrimary = client(primary.url);
  await until(async () => (await onPrimary.info('replication')).includes('state=online'));
  const guard = await startSentinel(primary, { downAfterMs });
  onTestFinished(() => guard.stop());
  const sentinel = client(`redis://127.0.0.1:${guard.port}`);
  await until(
    async () => ((await sentinel.call('sentinel', 'replicas', guard.name)) as unknown[]).length === 1,
  );
  const { checkpoints } = openStore(
    { sentinels: [{ host: guard.host, port: guard.port }], name: guard.name },
    { deadlineMs: 30_000 },
  );
  return { primary, replica, onPrimary, guard, sentinel, checkpoints };
}

test('behind Sentinel a run goes on after a failover that was asked for', async () => {
  const { replica, onPrimary, guard, sentinel, checkpoints } = await guarded();
  await checkpoints.acquireLease('refund-42', 'worker-a', 600_000);
  expect(await checkpoints.saveIfLeased('refund-42', step(1), 'worker-a')).toBe(true);
  await replicated(onPrimary);
  await until(() =>
    sentinel.call('sentinel', 'failover', guard.name).then(
      () => true,
      () => false,
    ),
  );
  // Until it is told, the old primary goes on acknowledging saves that will be lost: nothing is promised for these.
  await until(async () => (await onPrimary.info('replication')).includes('role:slave'));
  for (let revision = 2; revision <= 4; revision++) {
    expect(await checkpoints.saveIfLeased('refund-42', step(revision), 'worker-a')).toBe(true);
  }
  const after = openStore(replica.url).checkpoints;
  const history = await after.history('refund-42');
  expect(history.map((entry) => entry.checkpoint.revision)).toEqual([4, 3, 2, 1]);
}, 120_000);

test('behind Sentinel a store whose connecting is broken off by the word of a failover connects anew', async () => {
  const { primary, onPrimary, guard, sentinel, checkpoints: direct } = await guarded({ downAfterMs: 1_000 });
  await direct.save('refund-42', step(1));
  await replicated(onPrimary);
  const proxy = await proxyTo(guard);
  const { checkpoints } = openStore(
    { sentinels: [{ host: proxy.host, port: proxy.port }], name: guard.name },
    { deadlineMs: 30_000 },
  );
  expect(await checkpoints.load('refund-42')).toEqual(step(1));
  // Both stores listen to what Sentinel says of failovers.
  await until(async () => `${await sentinel.call('client', 'list')}`.match(/ sub=1 /g)?.length === 2);

  // Asked where the primary is, Sentinel does not answer; what it says by itself arrives.
  let isAsked = false;
  let isTold = false;
  proxy.onChunk(({ bytes }) => {
    isTold ||= bytes.includes('message') && bytes.includes('+switch-master');
    if (!bytes.includes('get-master-addr-by-name')) return 'pass';
    isAsked = true;
    return 'hold';
  });
  await primary.kill();
  await until(() => isAsked && isTold);
  proxy.heal();
  await expect(checkpoints.load('refund-42')).resolves.toEqual(step(1));
}, 120_000);

test('A20 behind Sentinel an acknowledged save survives the crash of its server, and a failover only if it was replicated', async () => {
  const { primary, onPrimary, guard, checkpoints } = await guarded({ downAfterMs: 2_000 });
  await checkpoints.acquireLease('refund-42', 'worker-a', 600_000);
  expect(await checkpoints.saveIfLeased('refund-42', step(1), 'worker-a')).toBe(true);
  await replicated(onPrimary);

  // Replication ends here: what follows is acknowledged by the primary alone.
  await onPrimary.call('acl', 'setuser', 'default', '-psync', '-sync');
  await onPrimary.client('KILL', 'TYPE', 'REPLICA');
  expect(await checkpoints.saveIfLeased('refund-42', step(2), 'worker-a')).toBe(true);
  expect(await checkpoints.acquireLease('refund-43', 'worker-b', 600_000)).toBeTruthy();
  expect(await checkpoints.saveIfLeased('refund-43', step(1, 'refund-43'), 'worker-b')).toBe(true);
  expect(checkpoints.capabilities).toMatchObject({ survives: 'power-loss', fencing: 'atomic' });
  await primary.kill();

  // The same store, once Sentinel has put the replica in the primary's place.
  expect(await checkpoints.load('refund-42')).toEqual(step(1));
  expect(await checkpoints.load('refund-43')).toBeNull();
  // Who holds no lease there is refused, and brings nothing back; whose lease was replicated goes on.
  expect(await checkpoints.saveIfLeased('refund-43', step(2, 'refund-43'), 'worker-b')).toBe(false);
  expect(await checkpoints.load('refund-43')).toBeNull();
  expect(await checkpoints.saveIfLeased('refund-42', step(2), 'worker-a')).toBe(true);

  // What was acknowledged is what the server that did it has, before anybody makes it a replica.
  await guard.stop();
  await primary.restart();
  const crashed = openStore(primary.url).checkpoints;
  expect(await crashed.load('refund-42')).toEqual(step(2));
  expect(await crashed.load('refund-43')).toEqual(step(1, 'refund-43'));
}, 120_000);
