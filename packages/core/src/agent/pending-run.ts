import type { LastError } from '../contract/index.js';

/** An unfinished run, as `pending()` lists it. */
export interface PendingRun {
  /** What `resume()` takes. */
  readonly sessionId: string;
  /** `session` for a turn of a session, `run` for everything else. */
  readonly kind: 'run' | 'session';
  /** The stored key. */
  readonly checkpointId: string;
  /** `in-progress`: interrupted, or running somewhere right now. */
  readonly status: 'in-progress' | 'awaiting-approval';
  readonly approvalId?: string;
  readonly approvalKind?: 'question';
  readonly step: number;
  /** Why the last attempt failed; absent for a run that a crash interrupted. */
  readonly lastError?: LastError;
  /** Attempts that failed in a row. */
  readonly attempts?: number;
}
