import { RedisStore } from '@lousho/store-redis';
import { freePort } from '@lousho/test-backends';
import { expect, test } from 'vitest';
import { step } from './support/checkpoint.js';
import { client, openStore, privateServer, proxyTo } from './support/servers.js';
import { settled } from './support/settled.js';

test('over a half-open connection every call is settled at its deadline, and the next connection works', async () => {
  const server = await privateServer();
  const proxy = await proxyTo(server);
  const { checkpoints, approvals } = openStore(proxy.through(server.url), { deadlineMs: 1_500 });
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  proxy.halfOpen();
  const [save, renewal, load, list] = await Promise.all([
    settled(checkpoints.saveIfLeased('refund-42', { ...step(2) }, 'worker-a')),
    settled(checkpoints.renewLease('refund-42', 'worker-a', 30_000)),
    settled(checkpoints.load('refund-42')),
    settled(approvals.list()),
  ]);
  const unknown = { code: 'LOUSHO_STORE_OUTCOME_UNKNOWN', retryable: true };
  const failed = { code: 'LOUSHO_STORAGE_FAILED', retryable: true };
  expect([save, renewal, load, list]).toMatchObject([unknown, unknown, failed, failed]);
  for (const { ms } of [save, renewal, load, list]) expect(ms).toBeLessThan(5_000);
  proxy.heal();
  await expect
    .poll(async () => (await settled(checkpoints.load('refund-42'))).code, { timeout: 25_000 })
    .toBe(undefined);
  expect(await checkpoints.saveIfLeased('refund-42', step(1), 'worker-a')).toBe(true);
});

test('a connection that went silent is replaced by itself', async () => {
  const server = await privateServer();
  const proxy = await proxyTo(server);
  const { checkpoints } = openStore(proxy.through(server.url), { deadlineMs: 300 });
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  proxy.onChunk(({ connection }) => (connection === 1 ? 'hold' : 'pass'));
  expect(await settled(checkpoints.saveIfLeased('refund-42', step(1), 'worker-a'))).toMatchObject({
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
  });
  await expect
    .poll(async () => (await settled(checkpoints.saveIfLeased('refund-42', step(1), 'worker-a'))).answer, {
      timeout: 25_000,
    })
    .toBe(true);
  expect(await checkpoints.history('refund-42')).toHaveLength(1);
});

test('a caller’s client over a half-open connection is settled as well', async () => {
  const server = await privateServer();
  const proxy = await proxyTo(server);
  const { checkpoints } = openStore(client(proxy.through(server.url)), { deadlineMs: 200 });
  await checkpoints.load('refund-42');
  proxy.halfOpen();
  expect(await settled(checkpoints.save('refund-42', step(2)))).toMatchObject({
    code: 'LOUSHO_STORE_OUTCOME_UNKNOWN',
  });
});

test('a server that is down fails a call at its deadline, with nothing sent, and is found once it is up', async () => {
  const server = await privateServer({ appendfsync: 'always' });
  await server.kill();
  const { checkpoints } = openStore(server.url, { deadlineMs: 250 });
  const save = await settled(checkpoints.save('refund-42', step(1)));
  expect(save).toMatchObject({ code: 'LOUSHO_STORAGE_FAILED', retryable: true });
  expect(save.ms).toBeLessThan(5_000);
  await server.restart();
  await checkpoints.save('refund-42', step(1));
  expect(await checkpoints.history('refund-42')).toHaveLength(1);
});

test('a server that was never there fails RedisStore.open() and leaves nothing open', async () => {
  const port = await freePort();
  await expect(RedisStore.open({ host: '127.0.0.1', port }, { deadlineMs: 200 })).rejects.toMatchObject({
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
    detail: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a connection that is reset at any point of a run leaves one entry per save', async () => {
  const server = await privateServer();
  const proxy = await proxyTo(server);
  const sure = openStore(server.url);
  const chunksOfARun = await runOnce('whole', -1);
  expect(chunksOfARun).toBeGreaterThan(10);
  for (let at = 1; at <= chunksOfARun; at++) await runOnce(`cut-${at}`, at);

  async function runOnce(sessionId: string, cutAt: number): Promise<number> {
    const { checkpoints, close } = openOn(proxy.through(server.url));
    const start = proxy.chunks;
    proxy.onChunk(({ number }) => (number - start === cutAt ? 'reset' : 'pass'));
    expect(await checkpoints.acquireLease(sessionId, 'worker-a', 30_000)).toBeTruthy();
    for (let revision = 1; revision <= 3; revision++) {
      const save = { ...step(revision, sessionId), ...(revision === 3 && { status: 'finished' as const }) };
      const options = { unchangedMessages: revision - 1 };
      expect(await checkpoints.saveIfLeased(sessionId, save, 'worker-a', options)).toBe(true);
    }
    await checkpoints.releaseLease(sessionId, 'worker-a');
    await close();
    const chunks = proxy.chunks - start;
    const history = await sure.checkpoints.history(sessionId);
    expect(history.map((entry) => entry.checkpoint.revision)).toEqual([3, 2, 1]);
    expect(await sure.checkpoints.load(sessionId)).toMatchObject({ messages: step(3).messages });
    expect(await sure.checkpoints.readLease(sessionId)).toBeNull();
    expect(await sure.checkpoints.listPending()).toEqual([]);
    return chunks;
  }
}, 60_000);

function openOn(url: string) {
  const store = openStore(url);
  return { checkpoints: store.checkpoints, close: () => store.close() };
}
