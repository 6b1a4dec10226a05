import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { withLockWait } from './lock-wait.js';
import { type InTransaction, WriteQueue } from './write-queue.js';

/** One open database: writes go through the queue, reads see one snapshot each. */
export class Connection {
  readonly #queue: WriteQueue;
  readonly #snapshot: InTransaction;
  readonly #reads = new Set<Promise<unknown>>();

  constructor(
    readonly db: Database,
    readonly busyTimeoutMs: number,
  ) {
    // Immediate: a read transaction that turns into a write is refused at once, whatever the timeout.
    this.#queue = new WriteQueue(transaction(db, 'BEGIN IMMEDIATE'), busyTimeoutMs);
    this.#snapshot = transaction(db, 'BEGIN');
  }

  /** Runs with the other writes of this turn; the answer comes after the commit. */
  write<T>(work: () => T): Promise<T> {
    return this.#queue.run(work);
  }

  async read<T>(work: () => T): Promise<T> {
    const result = withLockWait(() => this.#snapshot(work), this.busyTimeoutMs);
    this.#reads.add(result);
    try {
      return await result;
    } finally {
      this.#reads.delete(result);
    }
  }

  /** Lets everything that was asked for end, then closes; the last one to close a file merges its log into it. */
  async close(): Promise<void> {
    while (this.#queue.draining || this.#reads.size > 0) {
      await Promise.allSettled([this.#queue.draining, ...this.#reads]);
      // A prune that is under way goes on with its next records now.
      await nextTurn();
    }
    this.db.close();
  }
}

function transaction(db: Database, begin: string): InTransaction {
  const [start, commit, rollback] = [db.prepare(begin), db.prepare('COMMIT'), db.prepare('ROLLBACK')];
  return (work) => {
    start.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // After a full disk or an I/O error SQLite may have rolled back by itself.
      if (db.inTransaction) rollback.run();
      throw error;
    }
  };
}
