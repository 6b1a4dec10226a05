import type { HostTime } from './host-clock.js';

/** Until when a lease lives, as its holder wrote it. */
export interface LeaseTerm {
  readonly domain: string;
  readonly expiresMonotonicMs: number;
  readonly expiresWallMs: number;
}

export function leaseTerm(now: HostTime, ttlMs: number): LeaseTerm {
  return {
    domain: now.domain,
    expiresMonotonicMs: now.monotonicMs + ttlMs,
    expiresWallMs: now.wallMs + ttlMs,
  };
}

/**
 * Whether a lease can be taken because its time and the grace are over: live while now < expiry + grace. Within one boot the
 * monotonic clock decides, which nobody can set; another boot or host is judged by the wall clock.
 */
export function isLeaseOver(term: LeaseTerm, now: HostTime, graceMs: number): boolean {
  return term.domain === now.domain
    ? now.monotonicMs >= term.expiresMonotonicMs + graceMs
    : now.wallMs >= term.expiresWallMs + graceMs;
}

/** The wall-clock instant from which the lease can be taken, for messages. */
export function takeableAtMs(term: LeaseTerm, now: HostTime, graceMs: number): number {
  return term.domain === now.domain
    ? now.wallMs + (term.expiresMonotonicMs - now.monotonicMs) + graceMs
    : term.expiresWallMs + graceMs;
}
