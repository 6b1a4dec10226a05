import type { ApprovalStore } from './approval-store.js';
import type { CheckpointStore } from './checkpoint-store.js';
import type { SessionStore } from './session-store.js';

/** What `createAgent({ store })` takes. The bundled stores fill all parts; a custom one may leave parts out. */
export interface AgentStore {
  readonly checkpoints?: CheckpointStore;
  readonly approvals?: ApprovalStore;
  readonly sessions?: SessionStore;
  /** Ends only what the store opened; safe to call twice. Every later call rejects with `LOUSHO_STORE_CLOSED`. */
  close?(): Promise<void>;
}

export interface PruneOptions {
  /** Only what was saved more than so many milliseconds ago. */
  readonly olderThanMs: number;
  /** Which runs may go: only those that are over ever do, so this says no more than is so without it. Any other status is refused. */
  readonly status?: 'finished';
}

/** How many records a prune removed. */
export interface PruneResult {
  readonly checkpoints: number;
  readonly approvals: number;
  readonly sessions: number;
}

/** A store that fills every part. */
export interface BundledStore extends AgentStore {
  readonly checkpoints: CheckpointStore;
  readonly approvals: ApprovalStore;
  readonly sessions: SessionStore;
  /**
   * Removes finished checkpoints, their history, decided approvals and session transcripts older than the cutoff. Never a run
   * that is in progress, leased or awaiting approval, never an undecided approval, however old.
   * Rejects with `LOUSHO_CONFIG_INVALID`, and removes nothing, for an age that is negative or not finite and for any status but
   * `finished`.
   */
  prune(options: PruneOptions): Promise<PruneResult>;
  close(): Promise<void>;
}
