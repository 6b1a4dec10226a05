import { RedisStore, type RedisStoreOptions } from '@lousho/store-redis';
import { expect, test } from 'vitest';

test.each([
  [{ prefix: '{app}:' }, 'prefix'],
  [{ prefix: 7 }, 'prefix'],
  [{ historyLimit: -1 }, 'historyLimit'],
  [{ ttlMs: 0 }, 'ttlMs'],
  [{ ttlMs: 1.5 }, 'ttlMs'],
  [{ deadlineMs: 0 }, 'deadlineMs'],
  [{ onUnsafe: 'ignore' }, 'onUnsafe'],
  [{ survives: 'everything' }, 'survives'],
  [{ logger: {} }, 'logger'],
])('the options %o are refused with the name of %s', (options, field) => {
  const make = () => new RedisStore('redis://127.0.0.1:1', options as RedisStoreOptions);
  expect(make).toThrow(expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', field }));
});

test.each(['', undefined, null, 7])('%o is no connection', (connection) => {
  expect(() => new RedisStore(connection as never)).toThrow(
    expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', field: 'connection' }),
  );
});

test('a store that was never used connects to nothing and closes at once', async () => {
  const store = new RedisStore('redis://127.0.0.1:1');
  expect(store.checkpoints.capabilities).toMatchObject({
    fencing: 'atomic',
    reads: 'latest',
    reach: 'network',
    survives: 'nothing',
    clock: 'store',
    graceMs: 0,
    deathProof: 'none',
  });
  await store.close();
  await store.close();
});
