import type { Fold } from './fold.js';
import type { LogFile } from './log-file.js';
import type { Access, LogSite } from './log-site.js';
import type { OpenLogs } from './open-logs.js';

export interface LogCacheParts<S> {
  readonly fold: Fold<S>;
  /** Bounds the open files and the folds of all kinds of logs together. */
  readonly open: OpenLogs;
}

/** The current logs of one kind as far as they have been read, so that an operation only reads what is new. */
export class LogCache<S> {
  readonly #logs = new Map<string, LogFile<S>>();

  constructor(readonly parts: LogCacheParts<S>) {}

  has(id: string): boolean {
    return this.#logs.has(id);
  }

  holds(site: LogSite<S>, log: LogFile<S>): boolean {
    return this.#logs.get(site.parts.id) === log;
  }

  /** What `work` makes of the current log, which is read and stays open that long; `null` when there is none. */
  async with<T>(site: LogSite<S>, access: Access, work: (log: LogFile<S>) => Promise<T>): Promise<T | null> {
    const log = await this.#current(site, access);
    if (log === null) return null;
    try {
      return await work(log);
    } catch (error) {
      // After an error it is not sure what was read, so the next operation reads again.
      this.drop(site, log);
      throw error;
    } finally {
      this.parts.open.unpin(log);
    }
  }

  drop(site: LogSite<S>, log: LogFile<S>): void {
    if (this.holds(site, log)) this.#logs.delete(site.parts.id);
    this.parts.open.drop(log);
  }

  async #current(site: LogSite<S>, access: Access): Promise<LogFile<S> | null> {
    const known = this.#logs.get(site.parts.id);
    if (known && this.#isStillCurrent(site, known)) return known;
    const log = await site.open(access);
    if (log === null) return null;
    this.#pin(site, log);
    // A candidate that is read through its seal will get another name: it is used once.
    if (log.parts.name.kind === 'log') this.#logs.set(site.parts.id, log);
    else this.parts.open.drop(log);
    return log;
  }

  /** Reads what is new, which shows whether the log has been replaced; pins it if it has not. */
  #isStillCurrent(site: LogSite<S>, log: LogFile<S>): boolean {
    if (!this.#pin(site, log)) {
      this.drop(site, log);
      return false;
    }
    let isCurrent = false;
    try {
      log.read();
      isCurrent = !log.history.sealed && !log.isRemoved;
    } finally {
      if (!isCurrent) {
        this.drop(site, log);
        this.parts.open.unpin(log);
      }
    }
    return isCurrent;
  }

  #pin(site: LogSite<S>, log: LogFile<S>): boolean {
    return this.parts.open.pin({
      file: log,
      bytes: () => this.parts.fold.size(log.history.state),
      forget: () => {
        if (this.holds(site, log)) this.#logs.delete(site.parts.id);
      },
    });
  }
}
