import type { StoreCapabilities } from '@lousho/core/contract';

const MAX_SAVE_BYTES = 64 * 1024 * 1024;

export function fileCapabilities(graceMs: number): StoreCapabilities {
  return {
    // A save is valid only behind the very history in which its owner was seen to hold the lease.
    fencing: 'atomic',
    // Every read folds what was appended to the file before.
    reads: 'latest',
    // Appends of several machines to one file are not one after another.
    reach: 'host',
    // fdatasync before the acknowledgement; names are synced before the first one.
    survives: 'power-loss',
    clock: 'host',
    graceMs,
    deathProof: 'process',
    limits: { maxCheckpointBytes: MAX_SAVE_BYTES },
  };
}
