/** A person's answer, given once. */
export interface ApprovalDecision {
  readonly id: string;
  readonly approved: boolean;
  readonly note?: string;
  readonly by?: unknown;
  /** ISO instant. */
  readonly decidedAt?: string;
  /** The decision arrived after the approval had expired, and so counts as a refusal. */
  readonly isExpired?: true;
  /** The run went on from the approval's snapshot, without its session: the session's own record still waits. */
  readonly isDetached?: true;
  /** Nobody decided: the approval was copied to another store, where it is decided. */
  readonly isMoved?: true;
}
