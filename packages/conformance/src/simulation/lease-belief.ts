import type { Clock } from '@lousho/core/contract';

interface Belief {
  readonly owner: string;
  readonly ttlMs: number;
  confirmedAt: number;
  isLost: boolean;
}

/**
 * What one process can know of its leases from the answers that it got and from its own clock. A call that it starts although it must
 * know that its lease is over breaks the executor's promise.
 */
export class LeaseBelief {
  readonly #beliefs = new Map<string, Belief>();

  constructor(readonly clock: Clock) {}

  granted(sessionId: string, owner: string, ttlMs: number, askedAt: number): void {
    this.#beliefs.set(sessionId, { owner, ttlMs, confirmedAt: askedAt, isLost: false });
  }

  renewed(sessionId: string, owner: string, isHeld: boolean, askedAt: number): void {
    const belief = this.#beliefs.get(sessionId);
    if (belief?.owner !== owner) return;
    if (isHeld) belief.confirmedAt = Math.max(belief.confirmedAt, askedAt);
    else belief.isLost = true;
  }

  /** A save that was refused. */
  fenced(sessionId: string, owner: string): void {
    const belief = this.#beliefs.get(sessionId);
    if (belief?.owner === owner) belief.isLost = true;
  }

  released(sessionId: string, owner: string): void {
    if (this.#beliefs.get(sessionId)?.owner === owner) this.#beliefs.delete(sessionId);
  }

  /** Why nothing may be started for the id now; `undefined` when something may. */
  reasonAgainst(sessionId: string): string | undefined {
    const belief = this.#beliefs.get(sessionId);
    if (!belief) return 'it holds no lease';
    if (belief.isLost) return 'it was told that its lease is lost';
    const elapsed = this.clock.monotonic() - belief.confirmedAt;
    return elapsed < belief.ttlMs ? undefined : `its lease was confirmed ${elapsed} ms ago`;
  }
}
