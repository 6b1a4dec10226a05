import type { FileSyncs } from './file-syncs.js';
import type { Fold } from './fold.js';
import { LogDirectory } from './log-directory.js';
import { DamagedLogError } from './log-errors.js';
import { LogFile } from './log-file.js';
import { type LogFs, syncDirectory } from './log-fs.js';
import { FORMAT } from './log-history.js';
import { type LogName, newNonce } from './log-names.js';
import type { Entry, RecordFields } from './record-line.js';
import { renameDirectory } from './rename-directory.js';

export interface LogSiteParts<S> {
  readonly fs: LogFs;
  readonly sleep: (ms: number) => Promise<void>;
  readonly fold: Fold<S>;
  readonly syncs: FileSyncs;
  readonly id: string;
  /** The directory of all logs of this kind. */
  readonly root: string;
  /** The id's directory in it. */
  readonly directory: string;
}

/** `create` also makes the log of an unknown id; `read` changes nothing on disk. */
export type Access = 'read' | 'write' | 'create';

/** How often to look again while other processes move the log on. */
const MAX_LOOKS = 1_000;
const PATIENT_LOOKS = 20;
export const NEW_PREFIX = '.new-';

/**
 * The generations of one id's log. The current file is the chosen one without a seal. A seal names its successor, which was complete
 * and durable before, so there is no half-way state for anybody to finish or to undo.
 */
export class LogSite<S> {
  readonly directory: LogDirectory;

  constructor(readonly parts: LogSiteParts<S>) {
    this.directory = new LogDirectory(parts.fs, parts.directory);
  }

  /** The current log, opened and read; `null` when there is none. */
  async open(access: Access): Promise<LogFile<S> | null> {
    let created: string | undefined;
    for (let look = 0; look < MAX_LOOKS; look++) {
      if (look >= PATIENT_LOOKS) await this.parts.sleep(1);
      const listing = this.directory.list();
      const newest = listing?.logs[0];
      if (newest === undefined) {
        // A listing taken while a file gets its final name may show neither name, so an empty directory is looked at again.
        const isGone = listing === null || (look >= PATIENT_LOOKS && listing.candidates.length === 0);
        const isEmpty = listing === null || listing.candidates.length === 0;
        if (access === 'create' && isEmpty) created = await this.#create();
        else if (isGone) return null;
        continue;
      }
      const found = await this.#follow(newest, access);
      if (found === 'purged') {
        if (access !== 'create') return null;
      } else if (found !== 'moved') {
        found.isReady = found.parts.name.nonce === created;
        return found;
      }
    }
    throw this.#damaged(0, `no current file was found in ${MAX_LOOKS} looks`);
  }

  /** Makes content and name durable, also those that another process made. Nothing may be acknowledged from the file before that. */
  async makeReady(log: LogFile<S>): Promise<void> {
    if (log.isReady) return;
    const { fs, root, syncs } = this.parts;
    await syncs.sync(log);
    await this.directory.sync();
    if (log.parts.name.generation === 0) await syncDirectory(fs, root);
    log.isReady = true;
    this.#removeOlder(log.parts.name);
  }

  /** Gives the successor of a sealed log its final name. */
  async advance(log: LogFile<S>, nonce: string): Promise<void> {
    // The seal is on disk before the name changes.
    await this.#syncSealed(log);
    this.directory.publish(log.parts.name.generation + 1, nonce);
  }

  /** Removes the files of a log whose seal names no successor. */
  async bury(log: LogFile<S>): Promise<void> {
    await this.#syncSealed(log);
    const own = log.parts.name;
    const listing = this.directory.list();
    // A listing without our own file shows another incarnation of the id: hands off.
    if (listing?.logs.some(({ nonce }) => nonce === own.nonce)) {
      for (const name of [...listing.candidates, ...listing.logs]) {
        if (name.nonce !== own.nonce) this.directory.remove(name);
      }
    }
    await this.directory.sync();
    this.directory.remove(own);
    this.directory.removeIfEmpty();
  }

  snapshot(state: S, birth: string): Entry<RecordFields> {
    const { fold, id } = this.parts;
    const { fields, texts } = fold.snapshot(state);
    const record = { k: 'snap', v: FORMAT, id, birth, ...fields };
    return { fields: record, texts };
  }

  async #follow(name: LogName, access: Access): Promise<LogFile<S> | 'moved' | 'purged'> {
    const log = this.#openFile(name);
    if (log === null) return 'moved';
    const { sealed } = log.history;
    if (sealed === undefined) return log;
    try {
      if (sealed.next === null) {
        if (access !== 'read') await this.bury(log);
        return 'purged';
      }
      if (access === 'read') return this.#openSuccessor(name.generation + 1, sealed.next);
      await this.advance(log, sealed.next);
      return 'moved';
    } finally {
      log.close();
    }
  }

  #openSuccessor(generation: number, nonce: string): LogFile<S> | 'moved' {
    const log =
      this.#openFile({ generation, nonce, kind: 'log' }) ??
      this.#openFile({ generation, nonce, kind: 'cand' });
    if (log === null) return 'moved';
    if (log.history.sealed === undefined) return log;
    log.close();
    return 'moved';
  }

  #openFile(name: LogName): LogFile<S> | null {
    const { fs, fold, id, directory } = this.parts;
    const log = new LogFile({ fs, fold, id, directory, name });
    try {
      if (!log.open()) return null;
      log.read();
      log.history.assertStarted();
      return log;
    } catch (error) {
      log.close();
      throw error;
    }
  }

  /** Create-if-absent: a directory cannot be renamed onto one that holds a file. The nonce of what was created, durably. */
  async #create(): Promise<string | undefined> {
    const { fs, root, fold, directory } = this.parts;
    const path = `${root}/${NEW_PREFIX}${newNonce()}`;
    fs.mkdirSync(path, { mode: 0o700 });
    const fresh = new LogDirectory(fs, path);
    let name: LogName | undefined;
    try {
      const entry = this.snapshot(fold.empty(), newNonce());
      name = await fresh.writeSnapshot({ generation: 0, kind: 'log' }, entry);
      if (await renameDirectory(this.parts, path, directory)) {
        await syncDirectory(fs, root);
        return name.nonce;
      }
    } catch (error) {
      this.#removeFresh(fresh, name);
      throw error;
    }
    this.#removeFresh(fresh, name);
    return undefined;
  }

  #removeFresh(fresh: LogDirectory, name: LogName | undefined): void {
    if (name) fresh.remove(name);
    fresh.removeIfEmpty();
  }

  async #syncSealed(log: LogFile<S>): Promise<void> {
    const { syncs } = this.parts;
    // What stands in a distrusted file is in its durable successor as well, so its seal need not be.
    if (!syncs.isDistrusted(log)) await syncs.sync(log);
  }

  #removeOlder(own: LogName): void {
    const listing = this.directory.list();
    if (!listing?.logs.some(({ nonce }) => nonce === own.nonce)) return;
    for (const name of listing.logs) if (name.generation < own.generation) this.directory.remove(name);
    // Never a candidate of the next generation: a seal that names it may be on its way.
    for (const name of listing.candidates) if (name.generation <= own.generation) this.directory.remove(name);
  }

  #damaged(offset: number, reason: string): DamagedLogError {
    const { fold, id, directory } = this.parts;
    return new DamagedLogError({ id, noun: fold.noun, path: directory, offset }, reason, {
      newestRevision: undefined,
      highest: 0,
    });
  }
}
