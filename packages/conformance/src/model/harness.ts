import type { AgentStore, Clock } from '@lousho/core/contract';
import type { Seam } from './needs.js';

/** What a store's author writes, in at most 30 lines: how to get an empty storage and clients on it. */
export interface ConformanceHarness {
  readonly name: string;
  /** An empty storage of its own, each time. */
  createStorage(options: StorageOptions): Promise<ConformanceStorage>;
  /** Which of the given options reach the store. Rules that need another one are not run, and the report says so. */
  readonly seams?: readonly Extract<Seam, 'clock' | 'clientClock' | 'historyLimit' | 'graceMs'>[];
  /**
   * `import.meta.url` of the module that exports `openFromConfig`, by which other processes open a storage. Without it the rules
   * between processes are not run.
   */
  readonly module?: string;
  /** What the certificate names beside the store: client library, server. */
  versions?(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

export interface StorageOptions {
  /** Stands still until the kit moves it. */
  readonly clock: Clock;
  readonly historyLimit?: number;
  readonly graceMs?: number;
}

/** One storage, and the clients that are opened on it. */
export interface ConformanceStorage {
  /** One more client of this storage: in production, another process's. The kit closes it. */
  open(options?: { readonly clock?: Clock }): Promise<AgentStore>;
  /** Plain JSON from which `openFromConfig` of the harness's module opens this storage in any process, on real time. */
  readonly config?: unknown;
  /** Moves the storage's own time, where it does not follow the given clock. */
  advance?(ms: number): Promise<void>;
  /** Makes the record of an id unreadable, as a broken disk would. All clients are closed before. */
  damage?(sessionId: string): Promise<void>;
  /** Removes the storage. All clients are closed before. */
  dispose(): Promise<void>;
}

/** What the module of a harness exports. */
export interface HarnessModule {
  readonly default: ConformanceHarness;
  openFromConfig?(config: unknown): AgentStore | Promise<AgentStore>;
}
