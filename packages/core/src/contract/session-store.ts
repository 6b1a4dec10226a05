import type { Message } from './messages.js';

/** A conversation's committed transcript. `revision` grows with each commit and is never used twice for one id. */
export interface SessionRecord {
  readonly revision: number;
  readonly messages: readonly Message[];
}

/** Where the transcripts of conversations are kept. */
export interface SessionStore {
  /** `null` for an unknown or deleted id. */
  load(id: string): Promise<SessionRecord | null>;
  /**
   * Stores `messages` if the stored revision is still `expectedRevision` (0: there is none), in one atomic step.
   * `false` and no change otherwise.
   */
  saveIf(id: string, expectedRevision: number, messages: readonly Message[]): Promise<boolean>;
  /** Every id that has a transcript, in code-point order. */
  ids?(): Promise<readonly string[]>;
  /** Succeeds for an unknown id. */
  delete(id: string): Promise<void>;
}
