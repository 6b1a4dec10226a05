import type { StoreCapabilities } from './capabilities.js';
import type { Checkpoint, CheckpointStatus, LastError } from './checkpoint.js';

export interface SaveOptions {
  /**
   * The caller vouches that so many leading messages equal those of the stored revision that this save continues
   * (`checkpoint.revision - 1`). A store may then write only the rest; when it holds another revision it writes all.
   */
  readonly unchangedMessages?: number;
}

/** A kept earlier save. */
export interface HistoryEntry {
  /** `checkpoint.stepIndex`. */
  readonly step: number;
  /** ISO instant. */
  readonly savedAt: string;
  readonly status: CheckpointStatus;
  readonly checkpoint: Checkpoint;
}

export interface ListFilter {
  readonly status?: CheckpointStatus;
  /** Only ids behind this one, in code-point order. */
  readonly after?: string;
  readonly limit?: number;
}

export interface CheckpointListing {
  readonly sessionId: string;
  readonly status: CheckpointStatus;
  readonly checkpoint: Checkpoint;
}

/** The head of an unfinished checkpoint: what an operator asks about, without the transcript. */
export interface PendingCheckpoint {
  readonly sessionId: string;
  readonly status: 'in-progress' | 'awaiting-approval';
  readonly step: number;
  readonly approvalId?: string;
  readonly approvalKind?: 'question';
  readonly lastError?: LastError;
  readonly attempts?: number;
}

/** The right to advance one id. `epoch` is the fencing token: it grows each time the lease changes hands. */
export interface Lease {
  readonly epoch: number;
}

/** Who holds an id, for the message of a refused caller. */
export interface LeaseHolder {
  readonly owner: string;
  readonly epoch?: number;
  readonly host?: string;
  readonly pid?: number;
  /** ISO instant at which this owner took the lease. */
  readonly since?: string;
  /** ISO instant from which another owner can take the id, if the holder does not renew: expiry plus grace. */
  readonly takeableAt?: string;
}

export interface LeaseRef {
  readonly sessionId: string;
  readonly owner: string;
}

/**
 * Where runs are kept. Three methods are enough; every other one is discovered by its presence. The numbered sentences of
 * docs/contract.md say what each must do; a refused normal thing is a value (`false`), a broken promise is an error with a code.
 */
export interface CheckpointStore {
  /** Stores the checkpoint as the id's latest one, whoever holds the lease. */
  save(sessionId: string, checkpoint: Checkpoint, options?: SaveOptions): Promise<void>;
  /** The last accepted save, as a copy of its own; `null` for an unknown or deleted id. Rejects with `LOUSHO_CHECKPOINT_CORRUPT` when it cannot be read. */
  load(sessionId: string): Promise<Checkpoint | null>;
  /** Succeeds for an unknown id. Ends the id's lease, so that a live holder's next save is refused. */
  delete(sessionId: string, options?: { readonly keepHistory?: boolean }): Promise<void>;

  /** Latest checkpoints by id, in code-point order. */
  list?(filter?: ListFilter): Promise<readonly CheckpointListing[]>;
  /** Heads of the unfinished checkpoints by id; reads no transcript. An unreadable one is listed with `lastError.code` `LOUSHO_CHECKPOINT_CORRUPT`. */
  listPending?(page?: {
    readonly after?: string;
    readonly limit?: number;
  }): Promise<readonly PendingCheckpoint[]>;
  /** Every id that has a checkpoint or a kept history, in code-point order. */
  ids?(): Promise<readonly string[]>;
  /** Kept saves, newest first; `[]` for an unknown id. */
  history?(sessionId: string, options?: { readonly limit?: number }): Promise<readonly HistoryEntry[]>;

  /** Takes the lease, or renews one's own, unless another owner holds an unexpired one: then `false`. Atomic. */
  acquireLease?(sessionId: string, owner: string, ttlMs: number): Promise<boolean | Lease>;
  /** Renews only one's own lease and never takes one: `false` when it is not held. */
  renewLease?(sessionId: string, owner: string, ttlMs: number): Promise<boolean>;
  /** Ends only one's own lease; no effect otherwise. */
  releaseLease?(sessionId: string, owner: string): Promise<void>;
  /**
   * Saves if `owner` holds the lease, in one atomic step with that check; otherwise `false` and nothing is written.
   * Repeating the save of a revision by the same owner returns `true` and adds nothing.
   */
  saveIfLeased?(
    sessionId: string,
    checkpoint: Checkpoint,
    owner: string,
    options?: SaveOptions,
  ): Promise<boolean>;
  /** `renewLease` for all runs of a process in one round trip, one answer each. */
  renewLeases?(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]>;
  /** The current holder; `null` when the id is free. Informative: never a basis for a decision. */
  readLease?(sessionId: string): Promise<LeaseHolder | null>;

  readonly capabilities?: StoreCapabilities;
}
