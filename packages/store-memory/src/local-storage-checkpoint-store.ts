import {
  type Checkpoint,
  type CheckpointListing,
  type CheckpointStore,
  type Clock,
  guardCheckpointStore,
  type HistoryEntry,
  historyLimit,
  type ListFilter,
  markGuarded,
  type SaveOptions,
  type StoreCapabilities,
  systemClock,
} from '@lousho/core/contract';
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

/**
 * Checkpoints in Web Storage, for a run that one browser tab advances. It has no leases: two tabs that advance one id overwrite each
 * other. A save that does not fit rejects with `LOUSHO_STORAGE_FULL` and changes nothing.
 */
export class LocalStorageCheckpointStore implements CheckpointStore {
  readonly capabilities: StoreCapabilities = CAPABILITIES;
  readonly #records: Required<Pick<CheckpointStore, 'save' | 'load' | 'delete' | 'ids' | 'list' | 'history'>>;

  constructor(storage: WebStorage, options: LocalStorageCheckpointStoreOptions = {}) {
    const records = new WebStorageRecords({
      storage,
      prefix: options.prefix ?? '',
      historyLimit: historyLimit(options.historyLimit),
      clock: options.clock ?? systemClock,
      capabilities: CAPABILITIES,
    });
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
