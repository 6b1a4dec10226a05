import type { NoParamCallback } from 'node:fs';
import type { Seat } from '@lousho/conformance/simulation';
import type { LogFs } from '@lousho/store-file';
import { errno, type MemoryDisk, writeAt } from './memory-disk.js';

/** ext4's number: a local file system. */
const LOCAL_FILE_SYSTEM = 0xef53;
const SMALLEST_WRITE = 64;

/**
 * The file system as one process sees it: a dead one changes nothing more. The scheduler may come between each sync and what follows
 * it; what the store does in one turn, no other process can come between there.
 */
export function diskFs(disk: MemoryDisk, seat: Seat): LogFs {
  const alive = <Args extends unknown[], T>(call: (...args: Args) => T) => {
    return (...args: Args): T => {
      if (seat.isDead) throw killed();
      return call(...args);
    };
  };
  /** A change: the process may be killed right before it. */
  const changing = <Args extends unknown[], T>(name: string, call: (...args: Args) => T) =>
    alive((...args: Args): T => {
      if (seat.dies(name)) throw killed();
      return call(...args);
    });
  const sync = (name: string) => (_fd: number, callback: NoParamCallback) => {
    void seat.point(name).then(() => callback(null));
  };
  const calls = {
    openSync: changing('open', (path: string, flags: string | number) => disk.open(path, flags)),
    closeSync: (fd: number) => disk.close(fd),
    readSync: alive((fd: number, into: Buffer, offset: number, length: number, position: number) => {
      const { node } = disk.handle(fd);
      if (node.kind !== 'file') throw errno('EISDIR', 'read');
      const end = Math.min(position + length, node.size);
      return end <= position ? 0 : node.bytes.copy(into, offset, position, end);
    }),
    writeSync: alive((...[fd, from, offset = 0, length, position]: WriteArguments) => {
      const { node, isAppending } = disk.handle(fd);
      if (node.kind !== 'file') throw errno('EISDIR', 'write');
      const bytes = from.subarray(offset, length === undefined ? undefined : offset + length);
      // The store's own files are written from the beginning to the end, so that the end is where a write goes on.
      const at = isAppending || position === undefined ? node.size : position;
      if (seat.dies('write')) {
        writeAt(node, bytes.subarray(0, halfOf(bytes.length)), at);
        throw killed();
      }
      writeAt(node, bytes, at);
      return bytes.length;
    }),
    fstatSync: alive((fd: number) => {
      const { node } = disk.handle(fd);
      return node.kind === 'file' ? { size: node.size, nlink: node.links } : { size: 0, nlink: 2 };
    }),
    statSync: alive((path: string, options?: { throwIfNoEntry?: boolean }) => {
      const node = disk.find(path);
      if (!node && options?.throwIfNoEntry !== false) throw errno('ENOENT', path);
      return node && { isDirectory: () => node.kind === 'directory', mtimeMs: 0 };
    }),
    readdirSync: alive((path: string) => disk.list(path)),
    mkdirSync: changing('mkdir', (path: string, options?: { recursive?: boolean }) =>
      disk.makeDirectory(path, options?.recursive === true),
    ),
    renameSync: changing('rename', (from: string, to: string) => disk.rename(from, to)),
    unlinkSync: changing('unlink', (path: string) => disk.unlink(path)),
    rmdirSync: changing('rmdir', (path: string) => disk.removeDirectory(path)),
    statfsSync: alive(() => ({ type: LOCAL_FILE_SYSTEM })),
    fdatasync: sync('fdatasync'),
    fsync: sync('fsync'),
  };
  return calls as unknown as LogFs;
}

type WriteArguments = [fd: number, from: Buffer, offset?: number, length?: number, position?: number];

/** No kernel lets a kill cut a small aligned write in two. */
function halfOf(length: number): number {
  return Math.floor(length / 2 / SMALLEST_WRITE) * SMALLEST_WRITE;
}

function killed(): NodeJS.ErrnoException {
  return errno('EIO', 'the process is dead');
}
