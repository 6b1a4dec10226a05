import { hasOwnerEnded, type Lease } from '@lousho/core/contract';
import { ReferenceLeases } from '../reference/reference-leases.js';
import type { StoredLease } from '../reference/reference-storage.js';
import type { Mutant } from './mutant.js';

/** When a lease ends. */
export const leaseTime: readonly Mutant[] = [
  {
    name: 'lease-no-grace',
    says: 'A lease can be taken at its expiry, without its grace.',
    killedBy: ['LEASE-06', 'LEASE-06:within-grace'],
    classes: { leases: endsLateBy((graceMs) => -graceMs) },
  },
  {
    name: 'lease-grace-subtracted',
    says: 'The grace is taken from the lease instead of added to it.',
    killedBy: ['LEASE-06'],
    classes: { leases: endsLateBy((graceMs) => -2 * graceMs) },
  },
  {
    name: 'lease-expires-late',
    says: 'A lease is live for a second longer than it is said to be.',
    killedBy: ['LEASE-06'],
    classes: { leases: endsLateBy(() => 1_000) },
  },
  {
    name: 'lease-boundary',
    says: 'At the very millisecond of its end a lease is still live.',
    killedBy: ['LEASE-06'],
    classes: { leases: endsLateBy(() => 1) },
  },
  {
    name: 'lease-never-expires',
    says: 'Only a release or a delete ends a lease.',
    killedBy: ['LEASE-06'],
    classes: { leases: endsLateBy(() => Number.POSITIVE_INFINITY) },
  },
  {
    name: 'acquire-keeps-old-expiry',
    says: 'The holder that acquires again is told yes, and its lease ends when it would have ended.',
    killedBy: ['LEASE-03'],
    classes: {
      leases: class extends ReferenceLeases {
        override acquireNow(sessionId: string, owner: string, ttlMs: number): false | Lease {
          const held = this.held(sessionId);
          return held?.owner === owner ? { epoch: held.epoch } : super.acquireNow(sessionId, owner, ttlMs);
        }
      },
    },
  },
  {
    name: 'renew-no-op',
    says: 'A renewal answers yes and renews nothing.',
    killedBy: ['LEASE-07:lengthened', 'LEASE-22'],
    classes: {
      leases: class extends ReferenceLeases {
        override renewNow(sessionId: string, owner: string): boolean {
          return this.isHolder(sessionId, owner);
        }
      },
    },
  },
  {
    name: 'renew-shortens',
    says: 'A renewal gives half the time that was asked for.',
    killedBy: ['LEASE-07'],
    classes: {
      leases: class extends ReferenceLeases {
        override renewNow(sessionId: string, owner: string, ttlMs: number): boolean {
          return super.renewNow(sessionId, owner, ttlMs / 2);
        }
      },
    },
  },
  {
    name: 'save-ends-lease',
    says: 'A save under a lease ends the lease.',
    killedBy: ['LEASE-23'],
    classes: {
      leases: class extends ReferenceLeases {
        // The checkpoints ask only before a save who holds the id.
        override isHolder(sessionId: string, owner: string): boolean {
          const isHolder = super.isHolder(sessionId, owner);
          if (isHolder) this.end(sessionId);
          return isHolder;
        }
      },
    },
  },
];

function endsLateBy(lateMs: (graceMs: number) => number): typeof ReferenceLeases {
  return class extends ReferenceLeases {
    override isLive(lease: StoredLease): boolean {
      const { clock, graceMs } = this.parts;
      const isOver = clock.monotonic() >= lease.expiresAt + graceMs + lateMs(graceMs);
      return !isOver && !hasOwnerEnded(lease.owner);
    }
  };
}
