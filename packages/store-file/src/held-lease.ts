import type { HostTime, LeaseTerm, ProcessIdentity } from '@lousho/core/node';

/** Where the holder's heartbeat for this lease stands. */
export interface BeatRef {
  readonly file: string;
  readonly slot: number;
}

/** A lease as it stands in a log. */
export interface HeldLease {
  readonly owner: string;
  readonly epoch: number;
  readonly ttlMs: number;
  readonly term: LeaseTerm;
  readonly beat: BeatRef;
  readonly holder: ProcessIdentity;
  /** Wall-clock milliseconds. */
  readonly since: number;
}

/** The last sign of life of a lease's holder. */
export type Beat = Pick<HostTime, 'monotonicMs' | 'wallMs'>;
