import {
  type Checkpoint,
  type CheckpointListing,
  type CheckpointStore,
  type Clock,
  Gate,
  guardCheckpointStore,
  type HistoryEntry,
  historyLimit,
  type ListFilter,
  markGuarded,
  type PruneOptions,
  type PruneResult,
  pruneAge,
  type SaveOptions,
  type StoreCapabilities,
  systemClock,
} from '@lousho/core/contract';
import { codedStorage } from './coded-storage.js';
import type { WebStorage } from './web-storage.js';
import { WebStorageRecords } from './web-storage-records.js';

export interface LocalStorageCheckpointStoreOptions {
  /** Saves kept per id for `history()`; 50 when absent, 0 keeps none. They are whole copies. */
  readonly historyLimit?: number;
  /** Put before every key; empty when absent. */
  readonly prefix?: string;
  /** Dates the saves; the system's when absent. */
  readonly clock?: Clock;
}

const NAME = 'LocalStorageCheckpointStore';

/**
 * Checkpoints in Web Storage, for a run that one browser tab advances. It has no leases: two tabs that advance one id overwrite each
 * other. A save that does not fit rejects with `LOUSHO_STORAGE_FULL` and changes nothing.
 */
export class LocalStorageCheckpointStore implements CheckpointStore {
  readonly capabilities: StoreCapabilities = CAPABILITIES;
  readonly #pruned: WebStorageRecords;
  readonly #gate = new Gate({ name: NAME });
  readonly #clock: Clock;
  readonly #records: Required<Pick<CheckpointStore, 'save' | 'load' | 'delete' | 'ids' | 'list' | 'history'>>;

  /** Throws `LOUSHO_CONFIG_INVALID` for a wrong option or what is no Web Storage. */
  constructor(storage: WebStorage, options: LocalStorageCheckpointStoreOptions = {}) {
    const records = new WebStorageRecords({
      storage: codedStorage(storage, `${NAME}(${options.prefix ?? ''})`),
      prefix: options.prefix ?? '',
      historyLimit: historyLimit(options.historyLimit),
      clock: options.clock ?? systemClock,
      capabilities: CAPABILITIES,
    });
    this.#pruned = records;
    this.#clock = options.clock ?? systemClock;
    this.#records = guardCheckpointStore(records) as Required<CheckpointStore>;
    // Every method goes to the guarded records: an agent need not guard it again.
    markGuarded(this);
  }

  save(sessionId: string, checkpoint: Checkpoint, options?: SaveOptions): Promise<void> {
    return this.#records.save(sessionId, checkpoint, options);
  }

  load(sessionId: string): Promise<Checkpoint | null> {
    return this.#records.load(sessionId);
  }

  delete(sessionId: string, options?: { readonly keepHistory?: boolean }): Promise<void> {
    return this.#records.delete(sessionId, options);
  }

  list(filter?: ListFilter): Promise<readonly CheckpointListing[]> {
    return this.#records.list(filter);
  }

  ids(): Promise<readonly string[]> {
    return this.#records.ids();
  }

  /**
   * Removes finished checkpoints, and kept histories of deleted ones, that were saved more than `olderThanMs` ago. Never one that is
   * unfinished; with `historyLimit: 0` nothing, because no save is dated. Rejects with `LOUSHO_CONFIG_INVALID` for a negative or
   * non-finite argument.
   */
  async prune(options: PruneOptions): Promise<PruneResult> {
    const savedBefore = this.#clock.now() - pruneAge(options);
    const checkpoints = await this.#gate.run('prune', () => this.#pruned.prune(savedBefore));
    return { checkpoints, approvals: 0, sessions: 0 };
  }

  history(sessionId: string, options?: { readonly limit?: number }): Promise<readonly HistoryEntry[]> {
    return this.#records.history(sessionId, options);
  }
}

const CAPABILITIES: StoreCapabilities = Object.freeze({
  fencing: 'none',
  // Within one tab. A browser may show another tab's change late, and may write to the disk long after setItem() returned.
  reads: 'latest',
  reach: 'process',
  survives: 'nothing',
});
