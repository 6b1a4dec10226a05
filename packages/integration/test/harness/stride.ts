import type { StoreKind } from './store-kind.js';

/** A call takes many times as long on a server as on the disk. */
const ON_SERVERS = 3;

/**
 * Each how-manieth point of a crash exploration is tried: all in memory, and with `DEEP=1` on the disk; else a part, spread over the
 * whole, of which `onDisk` tells the size.
 */
export function strideOn(kind: StoreKind['name'], onDisk: number): number {
  if (kind === 'memory') return 1;
  const stride = process.env.DEEP === '1' ? 1 : onDisk;
  return isOnDisk(kind) ? stride : stride * ON_SERVERS;
}

/** More points than so many are tried where `strideOn` chose them. */
export function moreThanOn(kind: StoreKind['name'], inMemory: number, onDisk: number): number {
  if (kind === 'memory') return inMemory;
  return isOnDisk(kind) ? onDisk : Math.floor(onDisk / ON_SERVERS);
}

function isOnDisk(kind: StoreKind['name']): boolean {
  return kind === 'file' || kind === 'sqlite';
}
