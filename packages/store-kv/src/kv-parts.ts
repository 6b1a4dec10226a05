import { expectedKind, Gate, reasonOf, SDKError } from '@lousho/core/contract';
import { KvCheckpoints } from './kv-checkpoints.js';
import { KvHistory } from './kv-history.js';
import { KvKeys } from './kv-keys.js';
import { KvLeases } from './kv-leases.js';
import type { KVNamespace } from './kv-namespace.js';
import { type KVStoreOptions, readOptions, type Settings } from './kv-options.js';
import { KvValues } from './kv-values.js';
import { SerialQueues } from './serial-queues.js';

/** What the parts of a store over one namespace share. */
export interface KvParts {
  readonly kv: KVNamespace;
  readonly settings: Settings;
  readonly gate: Gate;
  readonly keys: KvKeys;
  readonly values: KvValues;
  readonly queues: SerialQueues;
  readonly leases: KvLeases;
  readonly checkpoints: KvCheckpoints;
}

const UNBOUND =
  'Bind a namespace in the configuration of the Worker, and pass what stands under its name in `env`.';

export function kvParts(storeName: string, kv: KVNamespace, options: KVStoreOptions): KvParts {
  for (const method of ['get', 'put', 'delete'] as const) {
    if (typeof kv?.[method] !== 'function')
      throw expectedKind('kv', 'a KV namespace with get, put and delete', kv, UNBOUND);
  }
  const settings = readOptions(options);
  const { clock, historyLimit, sleep } = settings;
  const name = settings.prefix === '' ? storeName : `${storeName}(${settings.prefix})`;
  const keys = new KvKeys(settings.prefix);
  const values = new KvValues(kv, settings, name);
  const queues = SerialQueues.of(kv);
  const leases = new KvLeases({ values, keys, queues, clock, sleep });
  const history = new KvHistory(values, keys);
  const mapError = (cause: unknown, operation: string) =>
    new SDKError(
      'LOUSHO_STORAGE_FAILED',
      `${name}: ${operation}() failed: the namespace refused it: ${reasonOf(cause)}`,
      {
        cause,
      },
    );
  return {
    kv,
    settings,
    gate: new Gate({ name, mapError }),
    keys,
    values,
    queues,
    leases,
    checkpoints: new KvCheckpoints({ values, keys, queues, leases, history, historyLimit, clock }),
  };
}
