import { dirname, join, resolve } from 'node:path';
import { assertLocalFileSystem } from './file-system-kind.js';
import { ignoring, type LogFs, syncDirectory } from './log-fs.js';

/** One directory per kind of logs. */
export const KINDS = ['checkpoints', 'approvals', 'sessions', 'floors'] as const;
export type Kind = (typeof KINDS)[number];

/** The store's directory: made on the first write, and checked on the first use. */
export class StoreDirectory {
  readonly path: string;
  #checked = false;
  #prepared: Promise<void> | undefined;

  constructor(
    readonly fs: LogFs,
    dir: string,
  ) {
    this.path = resolve(dir);
  }

  of(kind: Kind | 'heartbeats'): string {
    return join(this.path, kind);
  }

  /** Refuses a file system that the store cannot work on. A directory that does not exist yet is not made. */
  check(): void {
    if (this.#checked) return;
    const stat = ignoring(['ENOENT'], () => this.fs.statSync(this.path));
    if (stat === undefined) return;
    assertLocalFileSystem(this.fs, this.path);
    this.#checked = true;
  }

  /** Makes the directories, and their names durable. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#make().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  async #make(): Promise<void> {
    const first = this.fs.mkdirSync(this.path, { recursive: true, mode: 0o700 });
    this.check();
    for (const kind of KINDS) this.fs.mkdirSync(this.of(kind), { recursive: true, mode: 0o700 });
    // Also what another process made: it may have died before its sync.
    await syncDirectory(this.fs, this.path);
    const top = dirname(first ?? this.path);
    for (let path = dirname(this.path); ; path = dirname(path)) {
      await syncDirectory(this.fs, path);
      if (path === top || path === dirname(path)) return;
    }
  }
}
