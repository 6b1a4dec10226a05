import { type Clock, hasOwnerEnded, isoTime, type Lease, type LeaseHolder } from '@lousho/core/contract';

/** The leases of one store. One process, one monotonic clock: no grace is needed past the expiry. */
export class MemoryLeases {
  readonly #leases = new Map<string, HeldLease>();
  #epochs = 0;

  constructor(readonly clock: Clock) {}

  acquire(sessionId: string, owner: string, ttlMs: number): false | Lease {
    const now = this.clock.monotonic();
    const current = this.#leases.get(sessionId);
    if (current?.owner === owner) {
      current.expiresAt = now + ttlMs;
      return { epoch: current.epoch };
    }
    if (current && isLive(current, now)) return false;
    this.#epochs += 1;
    const lease = { owner, epoch: this.#epochs, expiresAt: now + ttlMs, since: this.clock.now() };
    this.#leases.set(sessionId, lease);
    return { epoch: lease.epoch };
  }

  renew(sessionId: string, owner: string, ttlMs: number): boolean {
    const current = this.#leases.get(sessionId);
    // Past its expiry the holder may still renew, as long as nobody has replaced it.
    if (current?.owner !== owner) return false;
    current.expiresAt = this.clock.monotonic() + ttlMs;
    return true;
  }

  release(sessionId: string, owner: string): void {
    if (this.isHolder(sessionId, owner)) this.#leases.delete(sessionId);
  }

  end(sessionId: string): void {
    this.#leases.delete(sessionId);
  }

  /** Also past the expiry, while nobody has replaced it. */
  isHolder(sessionId: string, owner: string): boolean {
    return this.#leases.get(sessionId)?.owner === owner;
  }

  isLive(sessionId: string): boolean {
    const lease = this.#leases.get(sessionId);
    return lease !== undefined && isLive(lease, this.clock.monotonic());
  }

  read(sessionId: string): LeaseHolder | null {
    const lease = this.#leases.get(sessionId);
    const now = this.clock.monotonic();
    if (!lease || !isLive(lease, now)) return null;
    return {
      owner: lease.owner,
      epoch: lease.epoch,
      since: isoTime(lease.since),
      takeableAt: isoTime(this.clock.now() + lease.expiresAt - now),
    };
  }
}

interface HeldLease {
  readonly owner: string;
  readonly epoch: number;
  /** Monotonic milliseconds. */
  expiresAt: number;
  /** Wall-clock milliseconds. */
  readonly since: number;
}

function isLive(lease: HeldLease, now: number): boolean {
  return now < lease.expiresAt && !hasOwnerEnded(lease.owner);
}
