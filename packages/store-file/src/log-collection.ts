import type { BackgroundTasks } from './background-tasks.js';
import { compact } from './compaction.js';
import { nameOfId } from './file-names.js';
import type { FileSyncs } from './file-syncs.js';
import type { Fold } from './fold.js';
import { LogCache } from './log-cache.js';
import { DamagedLogError } from './log-errors.js';
import type { LogFile } from './log-file.js';
import { ignoring, type LogFs, syncDirectory } from './log-fs.js';
import { LogSite } from './log-site.js';
import type { OpenLogs } from './open-logs.js';
import type { Entry, RecordFields } from './record-line.js';
import { sealEntry } from './seal.js';
import type { SerialQueues } from './serial-queues.js';
import type { StoreDirectory } from './store-directory.js';
import { readStoredId } from './stored-id.js';

export interface LogCollectionParts<S> {
  readonly fs: LogFs;
  readonly sleep: (ms: number) => Promise<void>;
  readonly fold: Fold<S>;
  readonly syncs: FileSyncs;
  readonly open: OpenLogs;
  readonly queues: SerialQueues;
  readonly background: BackgroundTasks;
  /** The directory of this kind of logs; it has one directory per id. */
  readonly root: string;
  /** A log is compacted when it is more than twice its content and this much larger. */
  readonly compactAfterBytes: number;
  readonly directory: Pick<StoreDirectory, 'check' | 'prepare'>;
}

/** What to do about a state: what to answer, and the record that has to be in the log before that. */
export interface Decision<T> {
  readonly answer: T;
  readonly append?: Entry<RecordFields>;
}

/** A decision is made on the whole history, and holds only if nothing was appended meanwhile; otherwise it is made again. */
export type Decide<S, T> = (state: S, birth: string) => Decision<T>;

/** Lost races after which a writer steps back for a moment. */
const EAGER_TRIES = 3;
const MAX_PAUSE_MS = 50;

/** All logs of one kind: one per id, each a history of its own. */
export class LogCollection<S> {
  readonly #cache: LogCache<S>;

  constructor(readonly parts: LogCollectionParts<S>) {
    this.#cache = new LogCache(parts);
  }

  /** Reads the state, appends what is decided on it and answers once that is on disk. `undefined` when there is no log. */
  transact<T>(id: string, access: 'write' | 'create', decide: Decide<S, T>): Promise<T | undefined> {
    return this.#queued(id, async (site) => {
      if (access === 'create') await this.parts.directory.prepare();
      for (let tries = 0; ; tries++) {
        if (tries > EAGER_TRIES) await this.parts.sleep(Math.random() * Math.min(MAX_PAUSE_MS, tries));
        const outcome = await this.#cache.with(site, access, (log) => this.#attempt(site, log, decide));
        if (outcome === null) return undefined;
        if (outcome !== 'again') return outcome.answer;
      }
    });
  }

  /** What `view` says of the state, which is on disk by then. `undefined` when there is no log. */
  read<T>(id: string, view: (state: S) => T): Promise<T | undefined> {
    return this.#queued(id, async (site) => {
      for (;;) {
        const outcome = await this.#cache.with(site, 'read', async (log) => {
          if (log.history.sealed) return 'again';
          const answer = view(log.history.state);
          // Somebody may act on what is read here, so it must not vanish in a power cut.
          if (!this.parts.syncs.isDistrusted(log)) await this.#settle(log);
          return { answer };
        });
        if (outcome === null) return undefined;
        if (outcome !== 'again') return outcome.answer;
      }
    });
  }

  /** As `read`, without touching cache or disk: for listings, which would otherwise drive everything else out. */
  async glance<T>(id: string, view: (state: S) => T): Promise<T | undefined> {
    if (this.#cache.has(id)) return this.read(id, view);
    return this.#queued(id, async (site) => {
      const log = await site.open('read');
      if (log === null) return undefined;
      try {
        return view(log.history.state);
      } finally {
        log.close();
      }
    });
  }

  /** Removes the log for good if its state still allows it. */
  purge(id: string, isPurgeable: (state: S) => boolean): Promise<boolean> {
    return this.#queued(id, async (site) => {
      for (;;) {
        const outcome = await this.#cache.with(site, 'write', async (log) => {
          await site.makeReady(log);
          log.read();
          if (log.history.sealed) return 'again';
          if (!isPurgeable(log.history.state)) return false;
          if (!log.append(sealEntry(null))) return 'again';
          this.#cache.drop(site, log);
          await site.bury(log);
          return true;
        });
        if (outcome !== 'again') return outcome === true;
      }
    });
  }

  /** Removes the files of a log that cannot be read. `false` when it can be after all: somebody has started over. */
  discard(id: string): Promise<boolean> {
    return this.#queued(id, async (site) => {
      if (await isReadable(site)) return false;
      const listing = site.directory.list();
      for (const name of listing?.candidates ?? []) site.directory.remove(name);
      for (const name of listing?.logs ?? []) site.directory.remove(name);
      site.directory.removeIfEmpty();
      await syncDirectory(this.parts.fs, this.parts.root);
      return true;
    });
  }

  /** The names of all directories; what is no log is among them. */
  names(): string[] {
    this.parts.directory.check();
    return ignoring(['ENOENT'], () => this.parts.fs.readdirSync(this.parts.root)) ?? [];
  }

  /** The id behind a shortened name, as its log has it. */
  async idOfHashed(name: string): Promise<string | undefined> {
    return readStoredId(this.parts.fs, `${this.parts.root}/${name}`);
  }

  async #attempt<T>(
    site: LogSite<S>,
    log: LogFile<S>,
    decide: Decide<S, T>,
  ): Promise<'again' | { answer: T }> {
    if (this.parts.syncs.isDistrusted(log)) {
      await this.#recover(site, log);
      return 'again';
    }
    log.read();
    if (log.history.sealed) return 'again';
    const { answer, append } = decide(log.history.state, log.history.birth);
    // An answer without a record acknowledges what is there, so it needs a durable file just the same.
    if (!log.isReady && log.isWritable) {
      await site.makeReady(log);
      return 'again';
    }
    if (append === undefined) {
      await this.#settle(log);
      return { answer };
    }
    // Since the read above nothing in this process has run in between: the record continues what was decided on.
    if (!log.append(append)) return 'again';
    await this.parts.syncs.sync(log);
    log.readBack();
    // Removed other than by a successor that holds the record: an unreadable log was discarded.
    if (log.isRemoved && !log.history.sealed) return 'again';
    this.#compactLater(site, log);
    return { answer };
  }

  /** Brings to disk what other processes may have appended without having done so yet. */
  async #settle(log: LogFile<S>): Promise<void> {
    const { syncedTo, end } = log.history;
    if (log.isWritable && syncedTo < end) await this.parts.syncs.sync(log);
  }

  /** Moves the content of a file whose sync failed to a new one, in which acknowledgements count again. */
  async #recover(site: LogSite<S>, log: LogFile<S>): Promise<void> {
    const { syncs } = this.parts;
    syncs.assertWhole(log);
    this.#cache.drop(site, log);
    if (await compact(site, log)) syncs.forget(log);
  }

  #compactLater(site: LogSite<S>, log: LogFile<S>): void {
    const { fold, compactAfterBytes } = this.parts;
    const { state, size, snapshotBytes } = log.history;
    // What a snapshot takes is estimated; the last one's true size keeps a wrong estimate from rewriting a log all the time.
    const content = Math.max(fold.size(state), snapshotBytes * 0.75);
    if (size < log.compactFrom || size <= 2 * content + compactAfterBytes) return;
    log.compactFrom = size + compactAfterBytes;
    // Behind the save that is answered now. A compaction that fails changes nothing, and the next save looks again.
    const rewrite = async () => {
      if (!this.#cache.holds(site, log)) return;
      await this.#cache.with(site, 'write', (open) => compact(site, open));
      await this.#cache.with(site, 'write', (open) => site.makeReady(open));
    };
    this.parts.background.start(() => this.#queued(site.parts.id, rewrite));
  }

  async #queued<T>(id: string, work: (site: LogSite<S>) => Promise<T>): Promise<T> {
    const { fs, sleep, fold, syncs, root, queues } = this.parts;
    this.parts.directory.check();
    const directory = `${root}/${nameOfId(id)}`;
    return queues.run(directory, () => work(new LogSite({ fs, sleep, fold, syncs, id, root, directory })));
  }
}

async function isReadable<S>(site: LogSite<S>): Promise<boolean> {
  try {
    const log = await site.open('read');
    log?.close();
    return true;
  } catch (error) {
    if (error instanceof DamagedLogError) return false;
    throw error;
  }
}
