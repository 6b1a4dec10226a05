import { fdatasync, ignoring, type LogFs, syncDirectory } from './log-fs.js';
import { fileOf, type LogName, newNonce, parseLogName } from './log-names.js';
import { type Entry, encodeLine, type RecordFields } from './record-line.js';

/** The files of one id, newest generation first. */
export interface LogListing {
  readonly logs: readonly LogName[];
  readonly candidates: readonly LogName[];
}

/** The directory that holds the files of one id's log. */
export class LogDirectory {
  constructor(
    readonly fs: LogFs,
    readonly path: string,
  ) {}

  /** `null` when there is no such directory. */
  list(): LogListing | null {
    const files = ignoring(['ENOENT', 'ENOTDIR'], () => this.fs.readdirSync(this.path));
    if (files === undefined) return null;
    const names = files
      .map(parseLogName)
      .filter((name) => name !== null)
      .sort((a, b) => b.generation - a.generation);
    return {
      logs: names.filter(({ kind }) => kind === 'log'),
      candidates: names.filter(({ kind }) => kind === 'cand'),
    };
  }

  /** Writes a complete, durable file of one snapshot. It is its writer's own until a seal or a rename of the directory publishes it. */
  async writeSnapshot(name: Omit<LogName, 'nonce'>, entry: Entry<RecordFields>): Promise<LogName> {
    const written: LogName = { ...name, nonce: newNonce() };
    const placement = { g: name.generation, at: 0, pv: '-', s: 0, n: newNonce() };
    const line = encodeLine(entry, placement, false);
    const fd = this.fs.openSync(this.#at(written), 'wx', 0o600);
    try {
      for (let at = 0; at < line.length; ) at += this.fs.writeSync(fd, line, at);
      await fdatasync(this.fs, fd);
      await this.sync();
      return written;
    } catch (error) {
      this.remove(written);
      throw error;
    } finally {
      this.fs.closeSync(fd);
    }
  }

  /** Gives the candidate that a seal names its final name. Anyone may, at any time: both names are unique for ever. */
  publish(generation: number, nonce: string): void {
    const from = this.#at({ generation, nonce, kind: 'cand' });
    const to = this.#at({ generation, nonce, kind: 'log' });
    ignoring(['ENOENT'], () => this.fs.renameSync(from, to));
  }

  remove(name: LogName): void {
    ignoring(['ENOENT'], () => this.fs.unlinkSync(this.#at(name)));
  }

  removeIfEmpty(): void {
    ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => this.fs.rmdirSync(this.path));
  }

  sync(): Promise<void> {
    return syncDirectory(this.fs, this.path);
  }

  #at(name: LogName): string {
    return `${this.path}/${fileOf(name)}`;
  }
}
