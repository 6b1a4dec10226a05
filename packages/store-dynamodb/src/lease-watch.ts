import type { Clock } from '@lousho/core/contract';
import type { HeldLease } from './head-item.js';

interface Sighting {
  readonly epoch: number;
  readonly beat: number;
  /** Monotonic milliseconds of this process. */
  readonly seenAt: number;
}

/** Forgetting one makes its taker wait longer, nothing else. */
const MOST_SIGHTINGS = 10_000;

/**
 * What this store object has seen of other owners' leases. No two clocks are compared: a lease has expired for whoever has watched
 * it unchanged for its whole ttl, on a clock of its own.
 */
export class LeaseWatch {
  readonly #sightings = new Map<string, Sighting>();

  constructor(readonly clock: Clock) {}

  /** Milliseconds until the lease may be taken, if its holder does not renew; 0: now. */
  remainingMs(sessionId: string, { epoch, beat, ttlMs }: HeldLease): number {
    const { seenAt } = this.see(sessionId, epoch, beat);
    return Math.max(0, seenAt + ttlMs - this.clock.monotonic());
  }

  /** To be called once the reply is there: the renewal is older than that, so that nothing is counted too early. */
  see(sessionId: string, epoch: number, beat: number): Sighting {
    const known = this.#sightings.get(sessionId);
    if (known?.epoch === epoch && known.beat === beat) return known;
    const sighting = { epoch, beat, seenAt: this.clock.monotonic() };
    this.#sightings.delete(sessionId);
    this.#sightings.set(sessionId, sighting);
    if (this.#sightings.size > MOST_SIGHTINGS) {
      const [oldest] = this.#sightings.keys();
      if (oldest !== undefined) this.#sightings.delete(oldest);
    }
    return sighting;
  }

  forget(sessionId: string): void {
    this.#sightings.delete(sessionId);
  }
}
