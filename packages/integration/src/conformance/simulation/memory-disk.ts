import { constants } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface DiskFile {
  readonly kind: 'file';
  bytes: Buffer;
  size: number;
  /** Names that it has. */
  links: number;
}

export interface DiskDirectory {
  readonly kind: 'directory';
  readonly entries: Map<string, DiskNode>;
}

export type DiskNode = DiskFile | DiskDirectory;

/** An open file or directory. */
export interface Handle {
  readonly node: DiskNode;
  readonly isAppending: boolean;
}

/** A disk in memory: the names and bytes that processes share. It answers with the errors that Linux answers with. */
export class MemoryDisk {
  readonly #root: DiskDirectory = newDirectory();
  readonly #handles = new Map<number, Handle>();
  #nextHandle = 3;

  open(path: string, flags: string | number): number {
    const found = this.#find(path);
    if (found && flags === 'wx') throw errno('EEXIST', path);
    const node = found ?? this.#create(path, flags);
    const fd = this.#nextHandle++;
    const isAppending = typeof flags === 'number' && (flags & constants.O_APPEND) !== 0;
    this.#handles.set(fd, { node, isAppending });
    return fd;
  }

  close(fd: number): void {
    if (!this.#handles.delete(fd)) throw errno('EBADF', String(fd));
  }

  handle(fd: number): Handle {
    const handle = this.#handles.get(fd);
    if (!handle) throw errno('EBADF', String(fd));
    return handle;
  }

  find(path: string): DiskNode | undefined {
    return this.#find(path);
  }

  list(path: string): string[] {
    return [...this.#directory(path).entries.keys()];
  }

  /** The first directory that had to be made. */
  makeDirectory(path: string, isRecursive: boolean): string | undefined {
    if (this.#find(path)) {
      if (isRecursive) return undefined;
      throw errno('EEXIST', path);
    }
    const above = dirname(path);
    const first = isRecursive && !this.#find(above) ? this.makeDirectory(above, true) : undefined;
    this.#directory(above).entries.set(basename(path), newDirectory());
    return first ?? path;
  }

  /** A directory may take the place of an empty one only. */
  rename(from: string, to: string): void {
    const node = this.#find(from);
    if (!node) throw errno('ENOENT', from);
    const target = this.#find(to);
    if (target?.kind === 'directory' && target.entries.size > 0) throw errno('ENOTEMPTY', to);
    if (target && target.kind !== node.kind) throw errno('EEXIST', to);
    this.#directory(dirname(from)).entries.delete(basename(from));
    if (target?.kind === 'file' && target !== node) target.links -= 1;
    this.#directory(dirname(to)).entries.set(basename(to), node);
  }

  unlink(path: string): void {
    const node = this.#find(path);
    if (node?.kind !== 'file') throw errno('ENOENT', path);
    node.links -= 1;
    this.#directory(dirname(path)).entries.delete(basename(path));
  }

  removeDirectory(path: string): void {
    if (this.#directory(path).entries.size > 0) throw errno('ENOTEMPTY', path);
    this.#directory(dirname(path)).entries.delete(basename(path));
  }

  #create(path: string, flags: string | number): DiskNode {
    if (flags !== 'wx') throw errno('ENOENT', path);
    const file: DiskFile = { kind: 'file', bytes: Buffer.alloc(0), size: 0, links: 1 };
    this.#directory(dirname(path)).entries.set(basename(path), file);
    return file;
  }

  #find(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = this.#root;
    for (const name of path.split('/')) {
      if (name === '') continue;
      if (node?.kind !== 'directory') return undefined;
      node = node.entries.get(name);
    }
    return node;
  }

  #directory(path: string): DiskDirectory {
    const node = this.#find(path);
    if (!node) throw errno('ENOENT', path);
    if (node.kind !== 'directory') throw errno('ENOTDIR', path);
    return node;
  }
}

/** Puts bytes into a file, which grows as it must. */
export function writeAt(file: DiskFile, bytes: Buffer, at: number): void {
  const end = at + bytes.length;
  if (end > file.bytes.length) {
    const grown = Buffer.alloc(Math.max(end, 2 * file.bytes.length, 512));
    file.bytes.copy(grown, 0, 0, file.size);
    file.bytes = grown;
  }
  bytes.copy(file.bytes, at);
  file.size = Math.max(file.size, end);
}

export function errno(code: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}

function newDirectory(): DiskDirectory {
  return { kind: 'directory', entries: new Map() };
}
