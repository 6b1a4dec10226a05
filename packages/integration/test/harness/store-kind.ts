import type { BundledStore, CheckpointStore } from '@lousho/core/contract';
import type { Elsewhere } from './start-elsewhere.js';
import type { TestClock } from './test-clock.js';

export interface OpenOptions {
  readonly historyLimit?: number;
}

/** A store of which all parts are there. */
export interface FullStore extends BundledStore {
  readonly checkpoints: Required<CheckpointStore>;
}

/** One private storage of a test, and the clients on it. */
export interface StorageOf<Store> {
  readonly clock: TestClock;
  /** Another client of the same storage; the same one where the store reaches no further than itself. */
  open(options?: OpenOptions): Store;
  /** A client in a process of its own, on the host's real clock; only where the storage reaches beyond this process. */
  elsewhere?(): Promise<Elsewhere>;
  /** Makes the record of an id unreadable, as a broken disk would; only where a test can. Open a new client afterwards. */
  damage?(sessionId: string): void;
  /** Closes every client and removes the storage. */
  end(): Promise<void>;
}

export interface StoreKind<Store> {
  readonly name: string;
  storage(): StorageOf<Store>;
}
