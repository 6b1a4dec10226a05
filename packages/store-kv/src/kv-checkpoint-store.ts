import {
  type Checkpoint,
  type CheckpointStore,
  guardCheckpointStore,
  type HistoryEntry,
  type Lease,
  type LeaseHolder,
  type LeaseRef,
  markGuarded,
  type SaveOptions,
  type StoreCapabilities,
} from '@lousho/core/contract';
import { GRACE_MS } from './kv-leases.js';
import type { KVNamespace } from './kv-namespace.js';
import type { KVStoreOptions } from './kv-options.js';
import { type KvParts, kvParts } from './kv-parts.js';
import { MAX_VALUE_BYTES } from './kv-values.js';

type Guarded = Required<Omit<CheckpointStore, 'ids' | 'list' | 'listPending' | 'capabilities'>> &
  Pick<CheckpointStore, 'ids' | 'list' | 'listPending'>;

/**
 * Checkpoints in Workers KV. KV cannot write on a condition and shows a write elsewhere after a minute or so: leases and fenced saves
 * hold within one location, not across locations. `list()` and `listPending()` are there where the namespace can list.
 */
export class KVCheckpointStore implements CheckpointStore {
  readonly capabilities: StoreCapabilities = CAPABILITIES;
  declare readonly ids?: NonNullable<CheckpointStore['ids']>;
  declare readonly list?: NonNullable<CheckpointStore['list']>;
  declare readonly listPending?: NonNullable<CheckpointStore['listPending']>;
  readonly #guarded: Guarded;

  /** Throws `LOUSHO_CONFIG_INVALID` for a wrong option or what is no namespace. */
  constructor(kv: KVNamespace, options: KVStoreOptions = {}) {
    this.#guarded = guarded(prepared.get(options) ?? kvParts('KVCheckpointStore', kv, options));
    const { ids, list, listPending } = this.#guarded;
    Object.assign(this, ids && { ids }, list && { list }, listPending && { listPending });
    // Every method goes to the guarded records: an agent need not guard it again.
    markGuarded(this);
  }

  save(sessionId: string, checkpoint: Checkpoint, options?: SaveOptions): Promise<void> {
    return this.#guarded.save(sessionId, checkpoint, options);
  }

  load(sessionId: string): Promise<Checkpoint | null> {
    return this.#guarded.load(sessionId);
  }

  delete(sessionId: string, options?: { readonly keepHistory?: boolean }): Promise<void> {
    return this.#guarded.delete(sessionId, options);
  }

  history(sessionId: string, options?: { readonly limit?: number }): Promise<readonly HistoryEntry[]> {
    return this.#guarded.history(sessionId, options);
  }

  acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<boolean | Lease> {
    return this.#guarded.acquireLease(sessionId, owner, ttlMs);
  }

  renewLease(sessionId: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.#guarded.renewLease(sessionId, owner, ttlMs);
  }

  renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    return this.#guarded.renewLeases(leases, ttlMs);
  }

  releaseLease(sessionId: string, owner: string): Promise<void> {
    return this.#guarded.releaseLease(sessionId, owner);
  }

  saveIfLeased(
    sessionId: string,
    checkpoint: Checkpoint,
    owner: string,
    options?: SaveOptions,
  ): Promise<boolean> {
    return this.#guarded.saveIfLeased(sessionId, checkpoint, owner, options);
  }

  readLease(sessionId: string): Promise<LeaseHolder | null> {
    return this.#guarded.readLease(sessionId);
  }
}

/** The checkpoints of a whole store, which share its gate. */
export function checkpointStoreOver(parts: KvParts): KVCheckpointStore {
  const options = {};
  prepared.set(options, parts);
  return new KVCheckpointStore(parts.kv, options);
}

const prepared = new WeakMap<KVStoreOptions, KvParts>();

const CAPABILITIES: StoreCapabilities = Object.freeze({
  // The lease is read, then the checkpoint is written.
  fencing: 'best-effort',
  // Another location may see the value before for about a minute.
  reads: 'eventual',
  reach: 'network',
  survives: 'power-loss',
  // Whoever wants a lease compares the holder's expiry with its own clock.
  clock: 'caller',
  graceMs: GRACE_MS,
  deathProof: 'none',
  limits: Object.freeze({ maxCheckpointBytes: MAX_VALUE_BYTES, maxWritesPerKeyPerSecond: 1 }),
});

function guarded({ kv, gate, checkpoints, leases }: KvParts): Guarded {
  const store: CheckpointStore = {
    save: (id, checkpoint) =>
      gate.run('save', async () => {
        await checkpoints.save(id, checkpoint);
      }),
    saveIfLeased: (id, checkpoint, owner) =>
      gate.run('saveIfLeased', () => checkpoints.save(id, checkpoint, owner)),
    load: (id) => gate.run('load', () => checkpoints.load(id)),
    delete: (id, options) => gate.run('delete', () => checkpoints.delete(id, options?.keepHistory === true)),
    history: (id, options) => gate.run('history', () => checkpoints.history(id, options?.limit)),
    acquireLease: (id, owner, ttlMs) => gate.run('acquireLease', () => leases.acquire(id, owner, ttlMs)),
    renewLease: (id, owner, ttlMs) => gate.run('renewLease', () => leases.renew(id, owner, ttlMs)),
    renewLeases: (refs, ttlMs) =>
      gate.run('renewLeases', () =>
        Promise.all(refs.map(({ sessionId, owner }) => leases.renew(sessionId, owner, ttlMs))),
      ),
    releaseLease: (id, owner) => gate.run('releaseLease', () => leases.end(id, owner)),
    readLease: (id) => gate.run('readLease', () => leases.holder(id)),
    ...(typeof kv.list === 'function' && {
      ids: () => gate.run('ids', () => checkpoints.allIds()),
      list: (filter = {}) => gate.run('list', () => checkpoints.list(filter)),
      listPending: (page = {}) => gate.run('listPending', () => checkpoints.listPending(page)),
    }),
  };
  return guardCheckpointStore(store) as Guarded;
}
