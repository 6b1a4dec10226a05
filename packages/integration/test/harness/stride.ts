import type { StoreKind } from './store-kind.js';

/** A call takes many times as long on a server as on the disk. */
const ON_SERVERS = 3;

/**
 * Each how-manieth point of a crash exploration is tried: all in memory, and with `DEEP=1` everywhere; else a part, spread over the
 * whole, of which `onDisk` tells the size.
 */
export function strideOn(kind: StoreKind['name'], onDisk: number): number {
  if (process.env.DEEP === '1' || kind === 'memory') return 1;
  return kind === 'file' || kind === 'sqlite' ? onDisk : onDisk * ON_SERVERS;
}
