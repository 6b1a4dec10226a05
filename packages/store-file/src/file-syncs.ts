import { outcomeUnknown } from './log-errors.js';
import type { LogFile } from './log-file.js';
import { fdatasync, type LogFs } from './log-fs.js';

/**
 * Brings logs to disk and remembers the files where that failed. After a failed fdatasync Linux counts the pages as clean, and the
 * next one may succeed without the data being on disk: such a file is never trusted with an acknowledgement again.
 */
export class FileSyncs {
  /** Path to the offset up to which the file had been on disk before. */
  readonly #distrusted = new Map<string, number>();

  constructor(readonly fs: LogFs) {}

  /** Rejects with `LOUSHO_STORE_OUTCOME_UNKNOWN` when it cannot be said what is on disk. */
  async sync(log: LogFile<unknown>): Promise<void> {
    const { fd, history } = log;
    const { end } = history;
    if (fd === undefined) throw new Error(`${log.path} is not open`);
    try {
      await fdatasync(this.fs, fd);
    } catch (error) {
      this.#distrusted.set(log.path, history.syncedTo);
      throw outcomeUnknown(log.path, error);
    }
    history.syncedTo = Math.max(history.syncedTo, end);
  }

  isDistrusted(log: LogFile<unknown>): boolean {
    return this.#distrusted.has(log.path);
  }

  /** Refuses a file of which something that was on disk before the failure can no longer be read. */
  assertWhole({ path, history }: LogFile<unknown>): void {
    const before = this.#distrusted.get(path) ?? 0;
    const { end } = history;
    if (end < before) throw history.damaged(end, `${before - end} bytes that were on disk are gone`);
  }

  forget(log: LogFile<unknown>): void {
    this.#distrusted.delete(log.path);
  }
}
