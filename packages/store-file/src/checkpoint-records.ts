import type { CheckpointStatus } from '@lousho/core/contract';
import type { LeaseTerm } from '@lousho/core/node';
import type { BeatRef, HeldLease } from './held-lease.js';

/** Why a lease could be taken, as the one who took it found it. */
export type TakenBecause = 'free' | 'expired' | 'ended';

/** Texts: the head, then the rows in the order of `rows`. */
export interface SaveRecord {
  readonly k: 'save';
  readonly seq: number;
  readonly revision: number | null;
  readonly status: CheckpointStatus;
  readonly step: number;
  readonly savedAt: number;
  /** Messages of the checkpoint. */
  readonly count: number;
  /** Indexes of the messages that are new or changed. */
  readonly rows: readonly number[];
  /** The epoch of the lease it was saved under; `null` for an unfenced save. */
  readonly epoch: number | null;
  /** How many saves the history keeps from here on. */
  readonly keep: number;
}

export interface AcquireRecord extends HeldLease {
  readonly k: 'acquire';
  readonly because: TakenBecause;
}

export interface RenewRecord {
  readonly k: 'renew';
  readonly epoch: number;
  readonly ttlMs: number;
  readonly term: LeaseTerm;
  readonly beat: BeatRef;
}

export interface ReleaseRecord {
  readonly k: 'release';
  readonly epoch: number;
}

export interface DeleteRecord {
  readonly k: 'delete';
  readonly seq: number;
  readonly keepHistory: boolean;
  /** Wall-clock milliseconds. */
  readonly deletedAt: number;
}

export type CheckpointLogRecord = SaveRecord | AcquireRecord | RenewRecord | ReleaseRecord | DeleteRecord;
