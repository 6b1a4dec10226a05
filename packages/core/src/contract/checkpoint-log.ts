import type { CheckpointStatus } from './checkpoint.js';
import type { Lease, LeaseHolder, LeaseRef } from './checkpoint-store.js';

/**
 * One save in the head-and-log shape: a small head, and the messages as rows that are written once. All text is encoded and
 * checked before a store sees it.
 */
export interface LogWrite {
  readonly sessionId: string;
  /** Set for a fenced save: write only if this owner holds the lease, atomically with that check. */
  readonly owner: string | undefined;
  readonly revision: number | undefined;
  readonly status: CheckpointStatus;
  /** `checkpoint.stepIndex`. */
  readonly step: number;
  /** The checkpoint without its messages, encoded. */
  readonly head: string;
  readonly messageCount: number;
  /** Leading messages that the caller vouches for, if the stored revision is `revision - 1`. */
  readonly unchangedMessages: number;
  /** Wall-clock milliseconds. */
  readonly savedAt: number;
  /** The encoded message at `index`. */
  row(index: number): string;
}

/** A stored save: its head and its rows, in order. */
export interface LogRecord {
  readonly head: string;
  readonly rows: readonly string[];
  /** Wall-clock milliseconds. */
  readonly savedAt: number;
}

/** A latest head in a listing; `fault` instead of it when the record cannot be read. */
export type LogHead =
  | { readonly sessionId: string; readonly head: string }
  | { readonly sessionId: string; readonly fault: Error };

export interface LogPage {
  /** Only heads with one of these statuses; all when absent. */
  readonly statuses?: readonly CheckpointStatus[];
  readonly after?: string;
  readonly limit?: number;
}

/**
 * What a bundled store implements: moving encoded rows. Arguments are valid, the store is open, and every thrown error is turned
 * into a coded one by the wrapper (`checkpointStore()`), so that adapters hold nothing but their storage's own concerns.
 */
export interface CheckpointLog {
  /** `false`: fenced, nothing was written. A repeated revision by the holder is `true` and adds nothing. */
  write(write: LogWrite): Promise<boolean>;
  /** Rejects with `LOUSHO_CHECKPOINT_CORRUPT` when it cannot be read. */
  read(sessionId: string): Promise<LogRecord | null>;
  /** Latest heads by id in code-point order; reads no rows. */
  heads(page: LogPage): Promise<readonly LogHead[]>;
  /** Every id that has a head or a kept history, in code-point order. */
  ids(): Promise<readonly string[]>;
  /** Newest first. */
  history(sessionId: string, limit: number): Promise<readonly LogRecord[]>;
  delete(sessionId: string, keepHistory: boolean): Promise<void>;
  acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease>;
  renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]>;
  releaseLease(sessionId: string, owner: string): Promise<void>;
  readLease(sessionId: string): Promise<LeaseHolder | null>;
}

/** The stored revision that a save continues, as far as deciding which rows to write needs it. */
export interface StoredRows {
  readonly revision: number | undefined;
  readonly count: number;
  row(index: number): string;
}

export interface ChangedRow {
  readonly index: number;
  readonly text: string;
}

/**
 * The rows that a save has to write: what the caller vouches for is passed over without a look, what is stored with the same text
 * is not written again, the rest is new.
 */
export function changedRows(write: LogWrite, stored: StoredRows | null): ChangedRow[] {
  const continues = stored?.revision !== undefined && write.revision === stored.revision + 1;
  const from = continues ? Math.min(write.unchangedMessages, stored.count) : 0;
  const changed: ChangedRow[] = [];
  for (let index = from; index < write.messageCount; index++) {
    const text = write.row(index);
    const isStored = stored !== null && index < stored.count && stored.row(index) === text;
    if (!isStored) changed.push({ index, text });
  }
  return changed;
}
