import type { CheckpointStatus } from '@lousho/core/contract';

/** All that the reference store keeps, in the plainest shape: whole encoded records. */
export class ReferenceStorage {
  readonly runs = new Map<string, StoredRun>();
  readonly leases = new Map<string, StoredLease>();
  readonly approvals = new Map<string, StoredApproval>();
  readonly transcripts = new Map<string, StoredTranscript>();
  /** The last epoch given, over all ids. */
  epochs = 0;

  run(sessionId: string): StoredRun {
    return this.runs.get(sessionId) ?? { latest: null, history: [] };
  }
}

/** One id: its latest save, and the kept ones, oldest first. */
export interface StoredRun {
  readonly latest: StoredSave | null;
  readonly history: readonly StoredSave[];
}

export interface StoredSave {
  /** The whole checkpoint, encoded. */
  readonly text: string;
  readonly status: CheckpointStatus;
  readonly revision: number | undefined;
  /** Who saved it under a lease. */
  readonly owner: string | undefined;
  /** Wall-clock milliseconds. */
  readonly savedAt: number;
}

export interface StoredLease {
  readonly owner: string;
  readonly epoch: number;
  /** Monotonic milliseconds. */
  readonly expiresAt: number;
  /** Wall-clock milliseconds. */
  readonly takeableAt: number;
  readonly since: number;
}

export interface StoredApproval {
  readonly createdAt: string;
  readonly body: string;
  readonly decision: string | null;
  readonly decidedAt: number;
}

export interface StoredTranscript {
  readonly revision: number;
  /** `null`: deleted; the revision goes on. */
  readonly messages: string | null;
  readonly savedAt: number;
}
