import type { Lease } from '@lousho/core/contract';
import { ReferenceLeases } from '../reference/reference-leases.js';
import type { StoredLease } from '../reference/reference-storage.js';
import type { Mutant } from './mutant.js';

/** Whose a lease is. */
export const leaseHolder: readonly Mutant[] = [
  {
    name: 'acquire-blind',
    says: 'Whoever asks for a lease gets it.',
    killedBy: ['LEASE-02'],
    classes: {
      leases: class extends ReferenceLeases {
        override isLive(): boolean {
          return false;
        }
      },
    },
  },
  {
    name: 'acquire-by-process',
    says: 'Owners count as one when they differ only behind the last dash, as those of one process do.',
    killedBy: ['LEASE-02'],
    classes: {
      leases: class extends ReferenceLeases {
        override acquireNow(sessionId: string, owner: string, ttlMs: number): false | Lease {
          const held = this.held(sessionId);
          if (held && processOf(held.owner) === processOf(owner)) this.end(sessionId);
          return super.acquireNow(sessionId, owner, ttlMs);
        }
      },
    },
  },
  {
    name: 'acquire-yes-when-busy',
    says: "An owner that is refused is told yes, with the holder's epoch.",
    killedBy: ['LEASE-02'],
    classes: {
      leases: class extends ReferenceLeases {
        override acquireNow(sessionId: string, owner: string, ttlMs: number): false | Lease {
          const answer = super.acquireNow(sessionId, owner, ttlMs);
          return answer || { epoch: this.held(sessionId)?.epoch ?? 1 };
        }
      },
    },
  },
  {
    name: 'reacquire-refused',
    says: 'The holder that acquires again is refused.',
    killedBy: ['LEASE-03'],
    classes: {
      leases: class extends ReferenceLeases {
        override acquireNow(sessionId: string, owner: string, ttlMs: number): false | Lease {
          const held = this.held(sessionId);
          if (held?.owner === owner && this.isLive(held)) return false;
          return super.acquireNow(sessionId, owner, ttlMs);
        }
      },
    },
  },
  {
    name: 'renew-resurrects',
    says: 'A renewal of a lease that is gone creates it.',
    killedBy: ['LEASE-08'],
    classes: {
      leases: class extends ReferenceLeases {
        override renewNow(sessionId: string, owner: string, ttlMs: number): boolean {
          return this.held(sessionId)
            ? super.renewNow(sessionId, owner, ttlMs)
            : this.acquireNow(sessionId, owner, ttlMs) !== false;
        }
      },
    },
  },
  {
    name: 'renew-steals-expired',
    says: "A renewal takes another owner's lease when that is past its end.",
    killedBy: ['LEASE-08:expired'],
    classes: {
      leases: class extends ReferenceLeases {
        override renewNow(sessionId: string, owner: string, ttlMs: number): boolean {
          const held = this.held(sessionId);
          return held !== undefined && this.acquireNow(sessionId, owner, ttlMs) !== false;
        }
      },
    },
  },
  {
    name: 'renew-ignores-owner',
    says: 'Whoever renews a lease renews it, and becomes its holder.',
    killedBy: ['LEASE-08'],
    classes: {
      leases: class extends ReferenceLeases {
        override renewNow(sessionId: string, owner: string, ttlMs: number): boolean {
          const held = this.held(sessionId);
          if (held) this.put(sessionId, owner, held.epoch, ttlMs);
          return held !== undefined;
        }
      },
    },
  },
  {
    name: 'renew-always-yes',
    says: 'A renewal of a lost lease answers yes.',
    killedBy: ['LEASE-08'],
    classes: {
      leases: class extends ReferenceLeases {
        override renewNow(sessionId: string, owner: string, ttlMs: number): boolean {
          return super.renewNow(sessionId, owner, ttlMs) || true;
        }
      },
    },
  },
  {
    name: 'release-no-op',
    says: 'A release frees nothing.',
    killedBy: ['LEASE-10'],
    classes: {
      leases: class extends ReferenceLeases {
        override releaseNow(): void {}
      },
    },
  },
  {
    name: 'release-ignores-owner',
    says: 'Whoever releases an id frees it.',
    killedBy: ['LEASE-11'],
    classes: {
      leases: class extends ReferenceLeases {
        override releaseNow(sessionId: string): void {
          this.end(sessionId);
        }
      },
    },
  },
  {
    name: 'epoch-of-the-id',
    says: 'Epochs are counted from what is held, so that they begin anew after a release.',
    killedBy: ['LEASE-05'],
    classes: {
      leases: class extends ReferenceLeases {
        override put(sessionId: string, owner: string, epoch: number, ttlMs: number): void {
          const held = this.held(sessionId);
          const isRenewed = held?.owner === owner;
          super.put(sessionId, owner, isRenewed ? epoch : (held?.epoch ?? 0) + 1, ttlMs);
        }

        override acquireNow(sessionId: string, owner: string, ttlMs: number): false | Lease {
          const isGranted = super.acquireNow(sessionId, owner, ttlMs) !== false;
          return isGranted && { epoch: this.held(sessionId)?.epoch ?? 0 };
        }
      },
    },
  },
  {
    name: 'ended-owner-ignored',
    says: 'The lease of an owner that has provably ended is kept until it expires.',
    killedBy: ['LEASE-20'],
    classes: {
      leases: class extends ReferenceLeases {
        override isLive(lease: StoredLease): boolean {
          return this.parts.clock.monotonic() < lease.expiresAt + this.parts.graceMs;
        }
      },
    },
  },
];

function processOf(owner: string): string {
  return owner.slice(0, owner.lastIndexOf('-'));
}
