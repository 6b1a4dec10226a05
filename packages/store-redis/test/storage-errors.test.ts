import { inspect } from 'node:util';
import { RedisStore } from '@lousho/store-redis';
import { expect, test } from 'vitest';
import { checkpoint, step, user } from './support/checkpoint.js';
import { client, openStore, privateServer } from './support/servers.js';
import { settled } from './support/settled.js';

test('a full server refuses a save whole, and has room again after a delete', async () => {
  const { url } = await privateServer();
  const { checkpoints } = openStore(url);
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  await checkpoints.saveIfLeased('refund-42', step(1), 'worker-a');
  const redis = client(url);
  await redis.config('SET', 'maxmemory', '1000');
  for (const save of [step(2), { ...step(2), messages: [user('changed'), user('y'.repeat(50_000))] }]) {
    await expect(checkpoints.saveIfLeased('refund-42', save, 'worker-a')).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FULL',
      retryable: true,
    });
    await expect(checkpoints.save('new', { ...save, sessionId: 'new' })).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FULL',
    });
  }
  expect(await checkpoints.load('refund-42')).toEqual(step(1));
  expect(await checkpoints.history('refund-42')).toHaveLength(1);
  expect(await checkpoints.load('new')).toBeNull();
  expect((await checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual(['refund-42']);
  await checkpoints.delete('refund-42');
  expect(await checkpoints.load('refund-42')).toBeNull();
  await redis.config('SET', 'maxmemory', '0');
  await checkpoints.save('refund-42', step(1));
});

test('a wrong password and a missing one are told apart from a server that is away', async () => {
  const { host, port } = await privateServer({ settings: { requirepass: 'secret' } });
  for (const password of ['wrong', undefined]) {
    const store = openStore({ host, port, ...(password && { password }) }, { deadlineMs: 10_000 });
    const load = await settled(store.checkpoints.load('refund-42'));
    expect(load).toMatchObject({ code: 'LOUSHO_STORAGE_FAILED', retryable: false });
    expect(load.ms).toBeLessThan(9_000);
  }
  const { checkpoints } = openStore({ host, port, password: 'secret' });
  expect(await checkpoints.load('refund-42')).toBeNull();
});

test('neither a password nor a message’s content is anywhere in an error', async () => {
  const { host, port, url } = await privateServer();
  await client(url).acl('SETUSER', 'app', 'on', '>hunter2', '~other:*', '+@all');
  const attempts = [
    ['hunter3', 'LOUSHO_STORAGE_FAILED'],
    ['hunter2', 'LOUSHO_STORAGE_READ_ONLY'],
  ] as const;
  for (const [password, code] of attempts) {
    const { checkpoints } = openStore({ host, port, username: 'app', password });
    const save = checkpoint({ messages: [user('card 4111-1111')] });
    const error: unknown = await checkpoints.save('refund-42', save).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, cause: expect.any(Error) });
    const text = inspect(error, { depth: null, showHidden: true });
    expect(text).not.toContain('4111');
    expect(text).not.toMatch(/hunter/);
  }
});

test('a user without rights to the keys is refused with a code', async () => {
  const { host, port, url } = await privateServer();
  await client(url).acl('SETUSER', 'app', 'on', '>secret', '~other:*', '+@all');
  const { checkpoints } = openStore({ host, port, username: 'app', password: 'secret' });
  await expect(checkpoints.save('refund-42', step(1))).rejects.toMatchObject({
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
  });
});

test('another program’s key under the prefix is an incompatible storage, and is left alone', async () => {
  const { url } = await privateServer();
  const redis = client(url);
  await redis.set('lousho:{refund-42}:head', 'not ours');
  const { checkpoints } = openStore(url);
  await expect(checkpoints.save('refund-42', step(1))).rejects.toMatchObject({
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
  });
  expect(await redis.get('lousho:{refund-42}:head')).toBe('not ours');
});

test('a server that cannot write to its disk is read-only for the time being', async () => {
  const { url } = await privateServer({
    appendonly: false,
    settings: { 'stop-writes-on-bgsave-error': 'yes' },
  });
  const redis = client(url);
  const { checkpoints } = openStore(url);
  await checkpoints.save('refund-42', step(1));
  await redis.config('SET', 'min-replicas-to-write', '1');
  await expect(checkpoints.save('refund-42', step(2))).rejects.toMatchObject({
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: true,
  });
  expect(await checkpoints.load('refund-42')).toEqual(step(1));
});

test('a client that its caller has closed fails calls at once', async () => {
  const { url } = await privateServer();
  const redis = client(url);
  const { checkpoints } = openStore(redis);
  await checkpoints.load('refund-42');
  await redis.quit();
  const load = await settled(checkpoints.load('refund-42'));
  expect(load.code).toBe('LOUSHO_STORAGE_FAILED');
  expect(load.ms).toBeLessThan(5_000);
});

test('close() leaves a caller’s client open and settles what was asked for', async () => {
  const { url } = await privateServer();
  const redis = client(url);
  const store = new RedisStore(redis);
  const saving = store.checkpoints.save('refund-42', checkpoint());
  await store.close();
  await saving;
  expect(await redis.ping()).toBe('PONG');
});

test('two stores on one server with other prefixes do not see each other', async () => {
  const { url } = await privateServer();
  const [one, two] = [openStore(url, { prefix: 'one:' }), openStore(url, { prefix: 'two:' })];
  await one.checkpoints.save('refund-42', step(1));
  expect(await two.checkpoints.load('refund-42')).toBeNull();
  expect(await two.checkpoints.list()).toEqual([]);
});
