import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledStore, Clock, StoreCapabilities } from '@lousho/core';
import type { KVNamespace } from '@lousho/store-kv';
import { memoryStore } from '@lousho/store-memory';
import type { SharedServer } from '@lousho/test-backends';
import { atTimeOf } from '../conformance/postgres-time.js';
import { dynamoConfig } from './dynamo-config.js';
import { sharedPool } from './shared-pool.js';
import type { StoreName } from './store-names.js';
import { storePackages } from './store-packages.js';

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
      const { url, freeName } = await sharedServer(store);
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
      return storePackages.file().fileStore(storage.folder, inFiles);
    case 'sqlite':
      return new (storePackages.sqlite().SqliteStore)(join(storage.folder, 'runs.db'), inFiles);
    case 'postgres':
      return openPostgres(storage, history, clock);
    case 'redis':
      return new (storePackages.redis().RedisStore)(storage.url, { ...timed, prefix: `${storage.space}:` });
    case 'dynamodb':
      return new (storePackages.dynamodb().DynamoDBStore)(dynamoConfig(storage.url), {
        ...timed,
        tableName: storage.space,
        createTable: true,
      });
    case 'kv':
      return new (storePackages.kv().KVStore)(
        storePackages.backends().connectKv(storage.url) as KVNamespace,
        {
          ...timed,
          prefix: `${storage.space}/`,
          ...(settles === false && { sleep: async () => undefined }),
        },
      );
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

function sharedServer(store: 'postgres' | 'redis' | 'dynamodb' | 'kv'): Promise<SharedServer> {
  const { sharedPostgres, sharedRedis, sharedDynamo, sharedKv } = storePackages.backends();
  return { postgres: sharedPostgres, redis: sharedRedis, dynamodb: sharedDynamo, kv: sharedKv }[store]();
}

/** The store takes no clock of its own: the pool puts the given time in the place of the server's. */
function openPostgres(
  { url, space: schema }: { readonly url: string; readonly space: string },
  options: Pick<ChosenStorageOptions, 'historyLimit'>,
  clock: Clock | undefined,
): BundledStore {
  const { PostgresStore } = storePackages.postgres();
  if (!clock) return new PostgresStore(url, { ...options, schema });
  return new PostgresStore(atTimeOf(sharedPool(url), clock), { ...options, schema });
}
