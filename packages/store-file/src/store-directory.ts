import { dirname, join, resolve } from 'node:path';
import { ConfigurationError, SDKError } from '@lousho/core/contract';
import { assertLocalFileSystem } from './file-system-kind.js';
import { codeOf, type LogFs, syncDirectory } from './log-fs.js';

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

  /** Refuses a place that the store cannot work on, or that is another program's. A directory that does not exist yet is not made. */
  check(): void {
    if (this.#checked) return;
    if (!this.#isThere(this.path, notDirectory)) return;
    assertLocalFileSystem(this.fs, this.path);
    for (const kind of KINDS) this.#isThere(this.of(kind), notOurs);
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

  /** `false` where there is nothing; throws what `refusal` makes of a file. */
  #isThere(path: string, refusal: (path: string) => Error): boolean {
    try {
      if (this.fs.statSync(path).isDirectory()) return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      if (codeOf(error) !== 'ENOTDIR') throw error;
    }
    throw refusal(path);
  }

  async #make(): Promise<void> {
    this.check();
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

function notDirectory(path: string): ConfigurationError {
  return new ConfigurationError(
    `Expected \`dir\` to be a directory, got ${path}, which is a file or leads through one`,
    {
      field: 'dir',
      hint: 'Name a directory that exists or can be made, such as ./data/runs.',
    },
  );
}

function notOurs(path: string): SDKError {
  return new SDKError(
    'LOUSHO_STORAGE_INCOMPATIBLE',
    `${path}: expected a directory of @lousho/store-file, got another program's file`,
    { hint: 'Give the store a directory of its own.' },
  );
}
