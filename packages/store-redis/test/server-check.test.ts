import { RedisStore } from '@lousho/store-redis';
import { expect, test } from 'vitest';
import { checkpoint } from './support/checkpoint.js';
import { client, openStore, privateServer } from './support/servers.js';

function listener() {
  const warnings: string[] = [];
  return { warnings, logger: { warn: (message: string) => warnings.push(message) } };
}

test.each([
  [{ appendonly: false }, 'nothing'],
  [{ appendfsync: 'everysec' }, 'process-crash'],
  [{ appendfsync: 'no' }, 'process-crash'],
  [{ appendfsync: 'always' }, 'power-loss'],
] as const)('on a server with %o an acknowledged save survives %s', async (settings, survives) => {
  const { url } = await privateServer(settings);
  const { logger, warnings } = listener();
  const store = openStore(url, { logger });
  expect(store.checkpoints.capabilities.survives).toBe('nothing');
  await store.checkpoints.load('refund-42');
  expect(store.checkpoints.capabilities.survives).toBe(survives);
  expect(warnings.map((text) => /appendonly/.test(text))).toEqual(survives === 'nothing' ? [true] : []);
});

test('RedisStore.open() resolves with final capabilities', async () => {
  const { url } = await privateServer({ appendfsync: 'always' });
  const store = await RedisStore.open(url);
  expect(store.checkpoints.capabilities.survives).toBe('power-loss');
  await store.close();
});

test('A25 a server that may evict keys is warned about once, or refused', async () => {
  const { url } = await privateServer({ maxmemory: '64mb', maxmemoryPolicy: 'allkeys-lru' });
  const { logger, warnings } = listener();
  const store = openStore(url, { logger });
  await Promise.all([store.checkpoints.load('a'), store.checkpoints.load('b')]);
  await store.checkpoints.load('c');
  expect(warnings).toEqual([expect.stringContaining('allkeys-lru')]);
  const strict = openStore(url, { onUnsafe: 'error' });
  for (const call of [() => strict.checkpoints.load('a'), () => strict.approvals.list()]) {
    await expect(call()).rejects.toMatchObject({
      code: 'LOUSHO_CONFIG_INVALID',
      detail: expect.stringContaining('allkeys-lru'),
    });
  }
  await expect(RedisStore.open(url, { onUnsafe: 'error' })).rejects.toMatchObject({
    code: 'LOUSHO_CONFIG_INVALID',
  });
});

test('A25 an evicted lease makes a save false, never a silent success', async () => {
  const { url } = await privateServer();
  const { checkpoints } = openStore(url);
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  await client(url).del('lousho:{refund-42}:lease');
  const save = { sessionId: 'refund-42', revision: 1, stepIndex: 1, messages: [] };
  expect(await checkpoints.saveIfLeased('refund-42', save, 'worker-a')).toBe(false);
  expect(await checkpoints.load('refund-42')).toBeNull();
});

test('where CONFIG is forbidden, INFO tells what it can', async () => {
  const { host, port, url } = await privateServer({ appendfsync: 'always' });
  await client(url).acl('SETUSER', 'app', 'on', '>secret', '~*', '+@all', '-config');
  const { logger, warnings } = listener();
  const store = openStore({ host, port, username: 'app', password: 'secret' }, { logger });
  await store.checkpoints.load('refund-42');
  expect(store.checkpoints.capabilities.survives).toBe('process-crash');
  expect(warnings).toEqual([]);
});

test('a server that tells nothing is declared as the weakest, unless its operator vouches for it', async () => {
  const { host, port, url } = await privateServer({ appendfsync: 'always' });
  await client(url).acl('SETUSER', 'app', 'on', '>secret', '~*', '+@all', '-config', '-info');
  const connection = { host, port, username: 'app', password: 'secret', enableReadyCheck: false };
  const { logger, warnings } = listener();
  const store = openStore(connection, { logger });
  await store.checkpoints.load('refund-42');
  expect(store.checkpoints.capabilities.survives).toBe('nothing');
  expect(warnings).toEqual([
    expect.stringContaining('maxmemory-policy'),
    expect.stringContaining('the option `survives`'),
  ]);
  const vouched = openStore(connection, { survives: 'power-loss' });
  expect(vouched.checkpoints.capabilities.survives).toBe('power-loss');
  await vouched.checkpoints.load('refund-42');
  expect(vouched.checkpoints.capabilities.survives).toBe('power-loss');
});

test('what the server tells goes before what its operator says', async () => {
  const { url } = await privateServer({ appendonly: false });
  const store = openStore(url, { survives: 'power-loss' });
  await store.checkpoints.load('refund-42');
  expect(store.checkpoints.capabilities.survives).toBe('nothing');
});

test('the rights that the README names are enough', async () => {
  const { host, port, url } = await privateServer({ appendfsync: 'always' });
  const rights = ['+@read', '+@write', '+@scripting', '+@connection', '+time', '+info', '+config|get'];
  await client(url).acl('SETUSER', 'app', 'on', '>secret', '~lousho:*', ...rights);
  const { logger, warnings } = listener();
  const store = openStore({ host, port, username: 'app', password: 'secret' }, { logger, ttlMs: 60_000 });
  const { checkpoints, approvals, sessions } = store;
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  expect(await checkpoints.saveIfLeased('refund-42', checkpoint({ revision: 1 }), 'worker-a')).toBe(true);
  expect(await checkpoints.renewLease('refund-42', 'worker-a', 30_000)).toBe(true);
  const last = checkpoint({ revision: 2, status: 'finished' });
  expect(await checkpoints.saveIfLeased('refund-42', last, 'worker-a')).toBe(true);
  await checkpoints.releaseLease('refund-42', 'worker-a');
  expect(await checkpoints.list()).toHaveLength(1);
  expect(await checkpoints.history('refund-42')).toHaveLength(2);
  expect(await approvals.list()).toEqual([]);
  expect(await sessions.saveIf('chat-1', 0, [])).toBe(true);
  await store.prune({ olderThanMs: 0 });
  await checkpoints.delete('refund-42');
  await store.close();
  expect(checkpoints.capabilities.survives).toBe('power-loss');
  expect(warnings).toEqual([]);
});
