import { type RedisConnection, RedisStore, type RedisStoreOptions } from '@lousho/store-redis';
import { startRedis, type TcpProxy, tcpProxy } from '@lousho/test-backends';
import { Redis, type RedisOptions } from 'ioredis';
import { onTestFinished } from 'vitest';

type ServerOptions = Parameters<typeof startRedis>[0];

/** A server of the test's own, that it may kill. */
export async function privateServer(options: ServerOptions = {}) {
  const server = await startRedis(options);
  onTestFinished(() => server.stop());
  return server;
}

export function openStore(connection: RedisConnection, options: RedisStoreOptions = {}): RedisStore {
  const store = new RedisStore(connection, { logger: { warn: () => {} }, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A client as a user makes one. */
export function client(url: string, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, options);
  redis.on('error', () => {});
  onTestFinished(() => redis.disconnect());
  return redis;
}

export async function proxyTo(server: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const proxy = await tcpProxy(server);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Resolves once a replica has everything that the primary has acknowledged so far. */
export async function replicated(onPrimary: Redis): Promise<void> {
  // WAIT waits for what its own connection wrote.
  await onPrimary.set('marker', 'here');
  const replicas = await onPrimary.wait(1, 20_000);
  if (replicas < 1) throw new Error('the replica has not received the marker within 20 s');
}
