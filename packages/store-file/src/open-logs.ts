import type { LogFile } from './log-file.js';

/** A log as the cache sees it. */
export interface CachedLog {
  readonly file: LogFile<unknown>;
  /** Bytes that its fold takes. */
  bytes(): number;
  /** Forgets the fold. */
  forget(): void;
}

export interface OpenLogsLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/**
 * The logs that a store has read, least recently used first. Open files and the bytes of the folds are bounded apart: closing a file
 * costs one open later, since its name is never reused; forgetting a fold costs reading the log again.
 */
export class OpenLogs {
  readonly #folds = new Map<LogFile<unknown>, { readonly log: CachedLog; bytes: number }>();
  readonly #files = new Set<LogFile<unknown>>();
  #bytes = 0;

  constructor(readonly limits: OpenLogsLimits) {}

  /** Keeps the log's file open until `unpin`. `false` when the file is gone. */
  pin(log: CachedLog): boolean {
    const { file } = log;
    if (!file.open()) return false;
    file.pins++;
    const known = this.#folds.get(file) ?? { log, bytes: 0 };
    this.#folds.delete(file);
    this.#folds.set(file, known);
    this.#files.delete(file);
    this.#files.add(file);
    this.#closeOldFiles();
    return true;
  }

  unpin(file: LogFile<unknown>): void {
    file.pins--;
    const known = this.#folds.get(file);
    if (!known) {
      if (file.pins === 0) file.close();
      return;
    }
    const bytes = known.log.bytes();
    this.#bytes += bytes - known.bytes;
    known.bytes = bytes;
    this.#forgetOldFolds();
    this.#closeOldFiles();
  }

  drop(file: LogFile<unknown>): void {
    this.#bytes -= this.#folds.get(file)?.bytes ?? 0;
    this.#folds.delete(file);
    this.#files.delete(file);
    if (file.pins === 0) file.close();
  }

  dropAll(): void {
    for (const { log } of [...this.#folds.values()]) this.#forget(log);
  }

  #closeOldFiles(): void {
    for (const file of this.#files) {
      if (this.#files.size <= this.limits.maxFiles) return;
      if (file.pins > 0) continue;
      this.#files.delete(file);
      file.close();
    }
  }

  #forgetOldFolds(): void {
    for (const [file, { log }] of this.#folds) {
      if (this.#bytes <= this.limits.maxBytes) return;
      if (file.pins === 0) this.#forget(log);
    }
  }

  #forget(log: CachedLog): void {
    log.forget();
    this.drop(log.file);
  }
}
