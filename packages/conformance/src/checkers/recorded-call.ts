/** What a client asked of the lease and the checkpoint of one id, and what it was answered. */
export type Operation =
  | { readonly kind: 'acquire'; readonly owner: string; readonly ttlMs: number; readonly answer: Answer }
  | { readonly kind: 'renew'; readonly owner: string; readonly ttlMs: number; readonly answer: Answer }
  | { readonly kind: 'release'; readonly owner: string; readonly answer: Done }
  /** `value` is the unique number of the checkpoint. Without an owner it is a plain save, which no lease guards. */
  | { readonly kind: 'save'; readonly owner?: string; readonly value: number; readonly answer: Answer }
  /** What was loaded: the checkpoint's number, `null` for nothing. */
  | { readonly kind: 'load'; readonly answer: number | null | 'unknown' }
  | { readonly kind: 'delete'; readonly answer: Done };

/** `unknown`: no answer came, so that it may or may not have happened. */
export type Answer = boolean | 'unknown';
export type Done = 'done' | 'unknown';

export interface RecordedCall {
  readonly client: string;
  readonly operation: Operation;
  /** Positions in the one order of all calls and returns; `returnedAt` is infinite for an unknown answer. */
  readonly calledAt: number;
  readonly returnedAt: number;
  /** The true time of the call and of the return, in milliseconds: not by a clock that a fault has moved. */
  readonly calledMs: number;
  readonly returnedMs: number;
}

/** The calls on one id, and what else the checker must know. */
export interface History {
  readonly calls: readonly RecordedCall[];
  /** How long past its expiry the store keeps a lease safe. */
  readonly graceMs: number;
  /** The clocks that write and judge a lease are off the true time by at most so much. */
  readonly skewMs: number;
  /** Owners that have provably ended, and when in the order: from then on a store may hand their lease on. */
  readonly deaths?: ReadonlyMap<string, number>;
}

export function isUnknown({ operation }: RecordedCall): boolean {
  return operation.answer === 'unknown';
}

export function ownerOf({ operation }: RecordedCall): string | undefined {
  return 'owner' in operation ? operation.owner : undefined;
}
