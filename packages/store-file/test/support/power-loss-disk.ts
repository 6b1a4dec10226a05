import * as nodeFs from 'node:fs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LogFs } from '@lousho/store-file';
import { faultFs } from './fault-fs.js';

/** What a disk saw, in order; `told` is what had been acknowledged by then. */
type DiskEvent<T> =
  | { readonly k: 'mkdir'; readonly path: string }
  | { readonly k: 'create'; readonly path: string; readonly file: number }
  | { readonly k: 'write'; readonly file: number; readonly bytes: Buffer }
  | { readonly k: 'sync'; readonly file: number }
  | { readonly k: 'syncDirectory'; readonly path: string }
  | { readonly k: 'rename'; readonly path: string; readonly from: string; readonly file: number | undefined }
  | { readonly k: 'remove'; readonly path: string }
  | { readonly k: 'told'; readonly told: T };

export interface PowerLossMutations {
  readonly ignoreFileSync?: boolean;
  /** Directories whose sync is left out. */
  readonly ignoreDirectorySync?: (path: string) => boolean;
}

interface ModelFile {
  bytes: Buffer;
  synced: number;
}

interface ModelDirectory {
  /** Names that are on disk: a file, or `directory`. */
  readonly durable: Map<string, number | 'directory'>;
  pending: Extract<DiskEvent<never>, { path: string }>[];
}

export interface PowerCut<T> {
  /** What had been acknowledged. */
  readonly told: T | undefined;
  /** Builds what a power cut leaves, in an empty directory. */
  build(target: string): void;
}

/**
 * A model of what a power cut may leave. Unsynced bytes of a file survive up to any point, with any 512-byte block of them zero;
 * unsynced operations on the names of a directory survive in any subset.
 */
export class PowerLossDisk<T> {
  readonly #events: DiskEvent<T>[] = [];
  readonly #files = new Map<string, number>();
  readonly #descriptors = new Map<number, { readonly path: string; readonly file: number | undefined }>();
  #next = 0;

  constructor(
    readonly root: string,
    readonly mutations: PowerLossMutations = {},
  ) {}

  get length(): number {
    return this.#events.length;
  }

  tell(told: T): void {
    this.#events.push({ k: 'told', told: structuredClone(told) });
  }

  /** The real file system, watched. */
  fs(before: (call: string) => void = () => undefined): LogFs {
    const real = faultFs({ before, withoutSync: true });
    return {
      ...real,
      mkdirSync: ((path: string, options: nodeFs.MakeDirectoryOptions) => {
        if (!nodeFs.existsSync(path)) this.#events.push({ k: 'mkdir', path });
        return real.mkdirSync(path, options);
      }) as LogFs['mkdirSync'],
      openSync: ((path: string, flags: string, mode: number) => {
        const isNew = !nodeFs.existsSync(path);
        const fd = real.openSync(path, flags, mode);
        if (nodeFs.fstatSync(fd).isDirectory()) this.#descriptors.set(fd, { path, file: undefined });
        else this.#descriptors.set(fd, { path, file: this.#opened(path, isNew) });
        return fd;
      }) as LogFs['openSync'],
      writeSync: ((fd: number, bytes: Buffer, ...rest: [number?, number?, number?]) => {
        const count = (real.writeSync as (...args: unknown[]) => number)(fd, bytes, ...rest);
        const { file, path } = this.#descriptors.get(fd)!;
        const from = rest[0] ?? 0;
        // Heartbeats are written in place and never synced: they are not part of the model.
        if (file !== undefined && !path.includes('/heartbeats/')) {
          this.#events.push({ k: 'write', file, bytes: Buffer.from(bytes.subarray(from, from + count)) });
        }
        return count;
      }) as LogFs['writeSync'],
      renameSync: ((from: string, path: string) => {
        real.renameSync(from, path);
        const file = this.#files.get(from);
        for (const [name, each] of [...this.#files]) {
          if (name === from) this.#files.set(path, each);
          else if (name.startsWith(`${from}/`)) this.#files.set(path + name.slice(from.length), each);
        }
        this.#events.push({ k: 'rename', path, from, file });
      }) as LogFs['renameSync'],
      unlinkSync: ((path: string) => {
        real.unlinkSync(path);
        this.#events.push({ k: 'remove', path });
      }) as LogFs['unlinkSync'],
      rmdirSync: ((path: string) => {
        real.rmdirSync(path);
        this.#events.push({ k: 'remove', path });
      }) as LogFs['rmdirSync'],
      fdatasync: this.#sync((...args) => real.fdatasync(...args)),
      fsync: this.#sync((...args) => real.fsync(...args)),
    };
  }

  /** The state after the first so many events. `mode` 0 keeps only what is durable, 1 keeps everything, others leave it to chance. */
  cut(events: number, mode: number, chance: () => number): PowerCut<T> {
    const files = new Map<number, ModelFile>();
    const directories = new Map<string, ModelDirectory>([[this.root, newDirectory()]]);
    let told: T | undefined;
    for (const event of this.#events.slice(0, events)) {
      if (event.k === 'told') told = event.told;
      else replay(event, files, directories);
    }
    const build = (target: string) => {
      const keeps = () => (mode < 2 ? mode === 1 : chance() < 0.5);
      const visit = (path: string, to: string) => {
        const directory = directories.get(path) ?? newDirectory();
        for (const [name, kind] of surviving(directory, keeps)) {
          const at = `${to}/${basename(name)}`;
          if (kind === 'directory') {
            mkdirSync(at, { recursive: true });
            visit(name, at);
          } else {
            writeFileSync(at, survivingBytes(files.get(kind)!, mode, chance));
          }
        }
      };
      visit(this.root, target);
    };
    return { told, build };
  }

  #opened(path: string, isNew: boolean): number {
    if (!isNew) return this.#files.get(path)!;
    const file = this.#next++;
    this.#files.set(path, file);
    this.#events.push({ k: 'create', path, file });
    return file;
  }

  #sync(real: (fd: number, callback: nodeFs.NoParamCallback) => void): LogFs['fsync'] {
    const { ignoreFileSync, ignoreDirectorySync } = this.mutations;
    const sync = (fd: number, callback: nodeFs.NoParamCallback) => {
      const { path, file } = this.#descriptors.get(fd)!;
      const bytes = file === undefined ? 0 : nodeFs.fstatSync(fd).size;
      real(fd, (error) => {
        if (error) return callback(error);
        if (file === undefined) {
          if (!ignoreDirectorySync?.(path)) this.#events.push({ k: 'syncDirectory', path });
        } else if (!ignoreFileSync && bytes >= 0) {
          this.#events.push({ k: 'sync', file });
        }
        callback(null);
      });
    };
    return sync as LogFs['fsync'];
  }
}

function newDirectory(): ModelDirectory {
  return { durable: new Map(), pending: [] };
}

function replay(
  event: Exclude<DiskEvent<never>, { k: 'told' }>,
  files: Map<number, ModelFile>,
  directories: Map<string, ModelDirectory>,
): void {
  switch (event.k) {
    case 'write': {
      const file = files.get(event.file)!;
      file.bytes = Buffer.concat([file.bytes, event.bytes]);
      return;
    }
    case 'sync': {
      const file = files.get(event.file)!;
      file.synced = file.bytes.length;
      return;
    }
    case 'syncDirectory': {
      const directory = directories.get(event.path);
      if (!directory) return;
      for (const each of directory.pending) applyName(directory.durable, each);
      directory.pending = [];
      return;
    }
    case 'create':
      files.set(event.file, { bytes: Buffer.alloc(0), synced: 0 });
      break;
    case 'mkdir':
      directories.set(event.path, newDirectory());
      break;
    case 'rename':
      moveDirectory(event.from, event.path, directories);
      break;
    case 'remove':
      break;
    default:
      event satisfies never;
  }
  directories.get(dirname(event.path))?.pending.push(event);
}

function moveDirectory(from: string, to: string, directories: Map<string, ModelDirectory>): void {
  const moved = directories.get(from);
  if (!moved) return;
  directories.delete(from);
  directories.set(to, moved);
}

function applyName(names: Map<string, number | 'directory'>, event: ModelDirectory['pending'][number]): void {
  if (event.k === 'rename') names.delete(event.from);
  if (event.k === 'remove') names.delete(event.path);
  else if (event.k === 'create') names.set(event.path, event.file);
  else if (event.k === 'rename') names.set(event.path, event.file ?? 'directory');
  else names.set(event.path, 'directory');
}

function surviving(directory: ModelDirectory, keeps: () => boolean): Map<string, number | 'directory'> {
  const names = new Map(directory.durable);
  for (const event of directory.pending) if (keeps()) applyName(names, event);
  return names;
}

const BLOCK = 512;

function survivingBytes({ bytes, synced }: ModelFile, mode: number, chance: () => number): Buffer {
  const share = mode < 2 ? mode : chance();
  const length = synced + Math.round((bytes.length - synced) * share);
  const left = Buffer.from(bytes.subarray(0, length));
  for (let at = synced; mode > 2 && at < length; at = (Math.floor(at / BLOCK) + 1) * BLOCK) {
    if (chance() < 0.4) left.fill(0, at, Math.min(length, (Math.floor(at / BLOCK) + 1) * BLOCK));
  }
  return left;
}
