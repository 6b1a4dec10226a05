import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@lousho/test-backends';
import { expect, onTestFinished, test } from 'vitest';
import { step } from './support/checkpoint.js';
import { client, openStore, privateServer, replicated } from './support/servers.js';
import { until } from './support/until.js';

async function sentinelOf(primaryPort: number): Promise<number> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'lousho-sentinel-'));
  const config = join(dir, 'sentinel.conf');
  writeFileSync(
    config,
    `port ${port}\nbind 127.0.0.1\ndir ${dir}\nsentinel monitor runs 127.0.0.1 ${primaryPort} 1\n`,
  );
  const child = spawn('redis-server', [config, '--sentinel'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  return port;
}

test('behind Sentinel a run goes on after a failover that was asked for', async () => {
  const settings = { 'repl-diskless-sync-delay': '0' };
  const [primary, replica] = await Promise.all([privateServer({ settings }), privateServer({ settings })]);
  await client(replica.url).replicaof('127.0.0.1', primary.port);
  const onPrimary = client(primary.url);
  const info = () => onPrimary.info('replication');
  await until(async () => (await info()).includes('state=online'));
  const port = await sentinelOf(primary.port);
  const sentinel = client(`redis://127.0.0.1:${port}`);
  await until(async () => ((await sentinel.call('sentinel', 'replicas', 'runs')) as unknown[]).length === 1);
  const { checkpoints } = openStore(
    { sentinels: [{ host: '127.0.0.1', port }], name: 'runs' },
    { deadlineMs: 20_000 },
  );
  await checkpoints.acquireLease('refund-42', 'worker-a', 600_000);
  expect(await checkpoints.saveIfLeased('refund-42', step(1), 'worker-a')).toBe(true);
  await replicated(onPrimary);
  await until(() =>
    sentinel.call('sentinel', 'failover', 'runs').then(
      () => true,
      () => false,
    ),
  );
  // Until it is told, the old primary goes on acknowledging saves that will be lost: nothing is promised for these.
  await until(async () => (await info()).includes('role:slave'));
  for (let revision = 2; revision <= 4; revision++) {
    expect(await checkpoints.saveIfLeased('refund-42', step(revision), 'worker-a')).toBe(true);
  }
  const after = openStore(replica.url).checkpoints;
  const history = await after.history('refund-42');
  expect(history.map((entry) => entry.checkpoint.revision)).toEqual([4, 3, 2, 1]);
}, 60_000);
