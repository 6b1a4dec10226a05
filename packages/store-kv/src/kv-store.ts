import {
  type BundledStore,
  ConfigurationError,
  type PruneOptions,
  type PruneResult,
  pruneAge,
  TableApprovalStore,
  TableSessionStore,
} from '@lousho/core/contract';
import { KvApprovalTable } from './kv-approval-table.js';
import { checkpointStoreOver, type KVCheckpointStore } from './kv-checkpoint-store.js';
import type { KVNamespace } from './kv-namespace.js';
import type { KVStoreOptions } from './kv-options.js';
import { type KvParts, kvParts } from './kv-parts.js';
import { KvSessionTable } from './kv-session-table.js';
import { prune } from './prune.js';

/**
 * Keeps runs, approvals and conversations in Workers KV: whole records, one key each. What KV cannot promise across locations is
 * declared in `checkpoints.capabilities`, and an agent says it once.
 */
export class KVStore implements BundledStore {
  readonly checkpoints: KVCheckpointStore;
  readonly approvals: TableApprovalStore;
  readonly sessions: TableSessionStore;
  readonly #parts: KvParts;
  readonly #tables: { readonly approvals: KvApprovalTable; readonly sessions: KvSessionTable };

  /** Throws `LOUSHO_CONFIG_INVALID` for a wrong option or what is no namespace. */
  constructor(kv: KVNamespace, options: KVStoreOptions = {}) {
    const parts = kvParts('KVStore', kv, options);
    this.#parts = parts;
    this.#tables = { approvals: new KvApprovalTable(parts), sessions: new KvSessionTable(parts) };
    this.checkpoints = checkpointStoreOver(parts);
    this.approvals = new TableApprovalStore(this.#tables.approvals, parts.gate);
    this.sessions = new TableSessionStore(this.#tables.sessions, parts.gate);
  }

  /** Lists every key of the store once. Rejects with `LOUSHO_CONFIG_INVALID` where the namespace cannot list. */
  async prune(options: PruneOptions): Promise<PruneResult> {
    const parts = this.#parts;
    const cutoff = parts.settings.clock.now() - pruneAge(options);
    return parts.gate.run('prune', async () => {
      if (typeof parts.kv.list !== 'function') {
        throw new ConfigurationError('Expected a KV namespace with list() for prune()', { field: 'kv' });
      }
      return prune({ parts, ...this.#tables }, cutoff);
    });
  }

  /** The namespace is its owner's; calls that were made before get their answers. */
  async close(): Promise<void> {
    this.#parts.gate.close();
  }
}
