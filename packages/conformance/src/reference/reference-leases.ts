import { hasOwnerEnded, isoTime, type Lease, type LeaseHolder } from '@lousho/core/contract';
import { type ReferenceParts, step } from './reference-parts.js';
import type { StoredLease } from './reference-storage.js';

/** Who may advance an id. The `…Now` methods are the steps; a mutant replaces one of them. */
export class ReferenceLeases {
  constructor(readonly parts: ReferenceParts) {}

  acquire(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    return step(this.parts, 'acquireLease', () => this.acquireNow(sessionId, owner, ttlMs));
  }

  renew(sessionId: string, owner: string, ttlMs: number): Promise<boolean> {
    return step(this.parts, 'renewLease', () => this.renewNow(sessionId, owner, ttlMs));
  }

  release(sessionId: string, owner: string): Promise<void> {
    return step(this.parts, 'releaseLease', () => this.releaseNow(sessionId, owner));
  }

  read(sessionId: string): Promise<LeaseHolder | null> {
    return step(this.parts, 'readLease', () => this.readNow(sessionId));
  }

  acquireNow(sessionId: string, owner: string, ttlMs: number): false | Lease {
    const held = this.held(sessionId);
    if (held && held.owner !== owner && this.isLive(held)) return false;
    const epoch = held?.owner === owner ? held.epoch : this.nextEpoch();
    this.put(sessionId, owner, epoch, ttlMs);
    return { epoch };
  }

  renewNow(sessionId: string, owner: string, ttlMs: number): boolean {
    const held = this.held(sessionId);
    // Past its expiry it may still be renewed, as long as nobody has taken it.
    if (held?.owner !== owner) return false;
    this.put(sessionId, owner, held.epoch, ttlMs);
    return true;
  }

  releaseNow(sessionId: string, owner: string): void {
    if (this.held(sessionId)?.owner === owner) this.end(sessionId);
  }

  readNow(sessionId: string): LeaseHolder | null {
    const held = this.held(sessionId);
    return held
      ? {
          owner: held.owner,
          epoch: held.epoch,
          since: isoTime(held.since),
          takeableAt: isoTime(held.takeableAt),
        }
      : null;
  }

  isHolder(sessionId: string, owner: string): boolean {
    return this.held(sessionId)?.owner === owner;
  }

  isLive(lease: StoredLease): boolean {
    const isOver = this.parts.clock.monotonic() >= lease.expiresAt + this.parts.graceMs;
    return !isOver && !hasOwnerEnded(lease.owner);
  }

  end(sessionId: string): void {
    this.parts.storage.leases.delete(sessionId);
  }

  held(sessionId: string): StoredLease | undefined {
    return this.parts.storage.leases.get(sessionId);
  }

  nextEpoch(): number {
    this.parts.storage.epochs += 1;
    return this.parts.storage.epochs;
  }

  put(sessionId: string, owner: string, epoch: number, ttlMs: number): void {
    const { clock, graceMs, storage } = this.parts;
    storage.leases.set(sessionId, {
      owner,
      epoch,
      expiresAt: clock.monotonic() + ttlMs,
      takeableAt: clock.now() + ttlMs + graceMs,
      since: this.held(sessionId)?.epoch === epoch ? (this.held(sessionId)?.since ?? 0) : clock.now(),
    });
  }
}
