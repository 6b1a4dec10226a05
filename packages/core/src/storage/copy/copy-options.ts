import type { AgentStore } from '../../contract/index.js';

export interface CopyOptions {
  /**
   * `'close'`, the default: whatever was copied cannot go on at the source. Its runs, decisions and turns are refused there with
   * `LOUSHO_RUN_MOVED`. `'keep'`: the source is only read, for a backup or a rehearsal.
   */
  readonly source?: 'close' | 'keep';
  /**
   * Who holds the leases. A copy that is started again under the name of one that was killed goes on at once; without a name it waits
   * for the leases of the killed one to expire. Two copies that run at the same time have different names.
   */
  readonly name?: string;
  /** Each record, as soon as it is dealt with. */
  readonly onRecord?: (record: string, outcome: CopyOutcome) => void;
}

/**
 * `copied`: now. `unchanged`: it was there already. `moved`: an earlier copy closed it. `busy`: somebody holds its lease. `newer`: the
 * target has something that did not come from here, and keeps it. `unreadable`: it cannot be read, at the source or in the target.
 */
export type CopyOutcome = 'copied' | 'unchanged' | 'moved' | 'busy' | 'newer' | 'unreadable';

/** What a copy came to. Records are named by their part and id: `checkpoint refund-42`. */
export interface CopyReport {
  /** Ids of which a checkpoint or a history was copied. */
  readonly checkpoints: number;
  readonly historyEntries: number;
  readonly approvals: number;
  readonly sessions: number;
  readonly unchanged: number;
  readonly moved: number;
  /** To be copied by another call, once they are free. */
  readonly busy: readonly string[];
  readonly newer: readonly string[];
  readonly unreadable: readonly string[];
  /** Whether nothing is busy, newer or unreadable. */
  readonly isComplete: boolean;
}

/** What the parts of a copy share. */
export interface Copy {
  readonly from: AgentStore;
  readonly to: AgentStore;
  readonly closes: boolean;
  readonly owner: string;
}
