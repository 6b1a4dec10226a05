import type { BundledStore, CheckpointStore } from '@lousho/core/contract';
import type { TestClock } from './test-clock.js';

export type LocalName = 'memory' | 'file' | 'sqlite';
export type ServerName = 'postgres' | 'redis' | 'dynamodb' | 'kv';

export interface OpenOptions {
  readonly historyLimit?: number;
}

/** A store of which all parts are there. */
export interface FullStore extends BundledStore {
  readonly checkpoints: Required<CheckpointStore>;
}

/** One private storage of a test, and the clients on it. */
export interface Storage {
  readonly kind: LocalName | ServerName;
  readonly clock: TestClock;
  /** Another client of the same storage; the same one where the store reaches no further than itself. */
  open(options?: OpenOptions): FullStore;
  /**
   * What lies in the storage under an id, as it lies there: bytes of files, rows of tables, values of keys. A lease that comes and
   * goes is no part of it. In memory there is nothing below the store's own answers.
   */
  raw(sessionId: string): Promise<unknown>;
  /** Makes the record of an id unreadable, as a broken disk would; only where a test can. Open a new client afterwards. */
  damage?(sessionId: string): void;
  /** Closes every client and removes the storage. */
  end(): Promise<void>;
}

export interface StoreKind {
  readonly name: LocalName | ServerName;
  /** Starts the server that the storages are on. */
  prepare?(): Promise<void>;
  storage(): Storage;
}
