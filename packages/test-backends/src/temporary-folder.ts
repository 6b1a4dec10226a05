import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasRemoved, willRemove } from './undertaker.js';

export function temporaryFolder(name: string, parent = tmpdir()): string {
  const dir = mkdtempSync(join(parent, `lousho-${name}-${process.pid}-`));
  willRemove(dir);
  return dir;
}

/** Where files cost no disk, for a server that syncs each write and has no option against it. They outlive a kill all the same. */
export function memoryFolder(name: string): string {
  return temporaryFolder(name, hasRoom(MEMORY) ? MEMORY : tmpdir());
}

export function removeFolder(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  hasRemoved(dir);
}

const MEMORY = '/dev/shm';
/** In a container it may have a few megabytes only. */
const ROOM_BYTES = 2 ** 30;

function hasRoom(dir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
