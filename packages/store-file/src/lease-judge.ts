import { hasOwnerEnded } from '@lousho/core/contract';
import { type HostTime, hasProvablyEnded, isLeaseOver, takeableAtMs } from '@lousho/core/node';
import type { TakenBecause } from './checkpoint-records.js';
import { readBeat, termOfBeat } from './heartbeat.js';
import type { HeldLease } from './held-lease.js';
import type { LogFs } from './log-fs.js';

export interface LeaseJudge {
  /** Why the lease can be taken now; `null` when it cannot. */
  takeable(lease: HeldLease | null): TakenBecause | null;
  /** Wall-clock milliseconds from which it can be taken if nothing renews it. */
  takeableAt(lease: HeldLease): number;
}

export interface LeaseJudgeParts {
  readonly fs: LogFs;
  readonly heartbeats: string;
  readonly graceMs: number;
  readonly now: () => HostTime;
}

/** Judges whether a lease lives, by its term, its holder's heartbeat and proof of its holder's end. */
export function leaseJudge({ fs, heartbeats, graceMs, now }: LeaseJudgeParts): LeaseJudge {
  return {
    takeable(lease) {
      if (!lease) return 'free';
      // The time is read before the heartbeat: see readBeat().
      const time = now();
      if (isOver(lease, time)) return 'expired';
      return hasOwnerEnded(lease.owner) || hasProvablyEnded(lease.holder) ? 'ended' : null;
    },
    takeableAt(lease) {
      const time = now();
      const beat = readBeat(fs, heartbeats, lease);
      const byTerm = takeableAtMs(lease.term, time, graceMs);
      if (beat === 'none') return byTerm;
      const last = beat === 'alive' ? time : beat;
      return Math.max(byTerm, takeableAtMs(termOfBeat(lease, last), time, graceMs));
    },
  };

  function isOver(lease: HeldLease, time: HostTime): boolean {
    if (!isLeaseOver(lease.term, time, graceMs)) return false;
    const beat = readBeat(fs, heartbeats, lease);
    if (beat === 'none') return true;
    return beat !== 'alive' && isLeaseOver(termOfBeat(lease, beat), time, graceMs);
  }
}
