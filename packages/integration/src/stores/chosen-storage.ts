import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledStore, Clock, StoreCapabilities } from '@lousho/core';
import { DynamoDBStore } from '@lousho/store-dynamodb';
import { fileStore } from '@lousho/store-file';
import { type KVNamespace, KVStore } from '@lousho/store-kv';
import { memoryStore } from '@lousho/store-memory';
import { PostgresStore } from '@lousho/store-postgres';
import { RedisStore } from '@lousho/store-redis';
import { SqliteStore } from '@lousho/store-sqlite';
import { connectKv, sharedDynamo, sharedKv, sharedPostgres, sharedRedis } from '@lousho/test-backends';
import { atTimeOf } from '../conformance/postgres-time.js';
import { dynamoConfig } from './dynamo-config.js';
import { sharedPool } from './shared-pool.js';
import type { StoreName } from './store-names.js';

/** One storage of a store that was chosen: JSON, by which any process reaches it. A memory store is a storage of its own. */
export type ChosenStorage =
  | { readonly store: 'memory' }
  | { readonly store: 'file' | 'sqlite'; readonly folder: string }
  | {
      readonly store: 'postgres' | 'redis' | 'dynamodb' | 'kv';
      readonly url: string;
      /** The schema, the table, or what begins the keys. */
      readonly space: string;
    };

export interface ChosenStorageOptions {
  readonly historyLimit?: number;
  /** Milliseconds past a lease's expiry before a take-over, where the store lets its user say so: in files. */
  readonly graceMs?: number;
  /** The time by which a server's leases are judged, instead of its own or that of its client. */
  readonly clock?: Clock;
  /** `false`: nobody else writes, so that a KV client need not wait whether somebody did. Default `true`. */
  readonly settles?: boolean;
}

/** An empty storage, on a server that all storages of this process share, or in `folder`. Starts the server if need be. */
export async function newStorage(store: StoreName, folder: string): Promise<ChosenStorage> {
  switch (store) {
    case 'memory':
      return { store };
    case 'file':
    case 'sqlite':
      await mkdir(folder, { recursive: true });
      return { store, folder };
    case 'postgres':
    case 'redis':
    case 'dynamodb':
    case 'kv': {
      const { url, freeName } = await SERVERS[store]();
      return { store, url, space: freeName() };
    }
    default:
      return store satisfies never;
  }
}

/** A client of the storage; every call makes a new one. */
export function openStorage(storage: ChosenStorage, options: ChosenStorageOptions = {}): BundledStore {
  const { historyLimit, graceMs, clock, settles } = options;
  const history = { ...(historyLimit !== undefined && { historyLimit }) };
  const inFiles = { ...history, ...(graceMs !== undefined && { graceMs }) };
  const timed = { ...history, ...(clock && { clock }) };
  switch (storage.store) {
    case 'memory':
      return memoryStore(history);
    case 'file':
      return fileStore(storage.folder, inFiles);
    case 'sqlite':
      return new SqliteStore(join(storage.folder, 'runs.db'), inFiles);
    case 'postgres':
      return openPostgres(storage, history, clock);
    case 'redis':
      return new RedisStore(storage.url, { ...timed, prefix: `${storage.space}:` });
    case 'dynamodb':
      return new DynamoDBStore(dynamoConfig(storage.url), {
        ...timed,
        tableName: storage.space,
        createTable: true,
      });
    case 'kv':
      return new KVStore(connectKv(storage.url) as KVNamespace, {
        ...timed,
        prefix: `${storage.space}/`,
        ...(settles === false && { sleep: async () => undefined }),
      });
    default:
      return storage satisfies never;
  }
}

/** What the store of a storage promises; asks no server. */
export async function capabilitiesOf(storage: ChosenStorage): Promise<StoreCapabilities> {
  const store = openStorage(storage);
  try {
    return store.checkpoints.capabilities ?? {};
  } finally {
    await store.close();
  }
}

const SERVERS = { postgres: sharedPostgres, redis: sharedRedis, dynamodb: sharedDynamo, kv: sharedKv };

/** The store takes no clock of its own: the pool puts the given time in the place of the server's. */
function openPostgres(
  { url, space: schema }: { readonly url: string; readonly space: string },
  options: Pick<ChosenStorageOptions, 'historyLimit'>,
  clock: Clock | undefined,
): BundledStore {
  if (!clock) return new PostgresStore(url, { ...options, schema });
  return new PostgresStore(atTimeOf(sharedPool(url), clock), { ...options, schema });
}
