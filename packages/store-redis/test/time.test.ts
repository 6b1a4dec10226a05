import { afterEach, expect, test, vi } from 'vitest';
import { step } from './support/checkpoint.js';
import { client, openStore, privateServer } from './support/servers.js';
import { until } from './support/until.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const HOUR = 3_600_000;

test('leases are judged by the server, however wrong the clocks of the replicas are', async () => {
  const { url } = await privateServer();
  const { checkpoints } = openStore(url);
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now - HOUR);
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  vi.spyOn(Date, 'now').mockImplementation(() => now + HOUR);
  expect(await checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toBe(false);
  await checkpoints.saveIfLeased('refund-42', step(1), 'worker-a');
  const [entry] = await checkpoints.history('refund-42');
  expect(Math.abs(Date.parse(entry?.savedAt ?? '') - now)).toBeLessThan(60_000);
});

test('an expired lease is free by the server’s time, and its holder saves until it is replaced', async () => {
  const { url } = await privateServer();
  const { checkpoints } = openStore(url);
  await checkpoints.acquireLease('refund-42', 'worker-a', 500);
  expect(await checkpoints.acquireLease('refund-42', 'worker-b', 500)).toBe(false);
  await until(async () => (await checkpoints.readLease('refund-42')) === null);
  expect(await checkpoints.saveIfLeased('refund-42', step(1), 'worker-a')).toBe(true);
  expect(await checkpoints.renewLease('refund-42', 'worker-a', 300)).toBe(true);
  await until(() => checkpoints.acquireLease('refund-42', 'worker-b', 30_000));
  expect(await checkpoints.saveIfLeased('refund-42', step(2), 'worker-a')).toBe(false);
  expect(await checkpoints.renewLease('refund-42', 'worker-a', 30_000)).toBe(false);
});

test.each([333.3, 0.4])('A27 a ttl of %d ms is taken', async (ttlMs) => {
  const { url } = await privateServer();
  const { checkpoints } = openStore(url);
  expect(await checkpoints.acquireLease('refund-42', 'worker-a', ttlMs)).toBeTruthy();
  expect(await checkpoints.renewLease('refund-42', 'worker-a', ttlMs)).toBe(true);
});

test.each([0, -1, Number.NaN, 2 ** 53])('A27 a ttl of %d ms is refused', async (ttlMs) => {
  const { checkpoints } = openStore('redis://127.0.0.1:1');
  await expect(checkpoints.acquireLease('refund-42', 'worker-a', ttlMs)).rejects.toMatchObject({
    code: 'LOUSHO_CONFIG_INVALID',
  });
});

test('an epoch never goes back, not even when everything about the id is gone', async () => {
  const { url } = await privateServer();
  const { checkpoints } = openStore(url);
  const epochs: number[] = [];
  for (const owner of ['worker-a', 'worker-b', 'worker-c']) {
    epochs.push(Object(await checkpoints.acquireLease('refund-42', owner, 30_000)).epoch);
    await checkpoints.saveIfLeased('refund-42', step(1), owner);
    await checkpoints.delete('refund-42');
  }

  await client(url).flushall();
  epochs.push(Object(await checkpoints.acquireLease('refund-42', 'worker-d', 30_000)).epoch);
  expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
  expect(Number.isSafeInteger(epochs[3])).toBe(true);
});
