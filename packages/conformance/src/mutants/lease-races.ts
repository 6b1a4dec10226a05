import type { Lease } from '@lousho/core/contract';
import { ReferenceLeases } from '../reference/reference-leases.js';
import type { Mutant } from './mutant.js';

/** Leases that are read in one step and written in another. Only a rival between the two can see it. */
export const leaseRaces: readonly Mutant[] = [
  {
    name: 'acquire-read-then-write',
    says: 'A lease is found free in one step and taken in the next.',
    killedBy: ['LEASE-13'],
    classes: {
      leases: class extends ReferenceLeases {
        override async acquire(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
          const held = this.held(sessionId);
          await this.parts.point('between');
          if (held && held.owner !== owner && this.isLive(held)) return false;
          const epoch = held?.owner === owner ? held.epoch : this.nextEpoch();
          this.put(sessionId, owner, epoch, ttlMs);
          return { epoch };
        }
      },
    },
  },
  {
    name: 'acquire-answers-before-writing',
    says: 'A lease is granted first and written afterwards.',
    killedBy: ['LEASE-13'],
    classes: {
      leases: class extends ReferenceLeases {
        override async acquire(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
          await this.parts.point('acquireLease');
          const held = this.held(sessionId);
          if (held && held.owner !== owner && this.isLive(held)) return false;
          const epoch = held?.owner === owner ? held.epoch : this.nextEpoch();
          void this.parts.point('between').then(() => this.put(sessionId, owner, epoch, ttlMs));
          return { epoch };
        }
      },
    },
  },
  {
    name: 'renew-read-then-write',
    says: 'A lease is found to be held in one step and renewed in the next.',
    killedBy: ['LEASE-24'],
    classes: {
      leases: class extends ReferenceLeases {
        override async renew(sessionId: string, owner: string, ttlMs: number): Promise<boolean> {
          const held = this.held(sessionId);
          await this.parts.point('between');
          if (held?.owner !== owner) return false;
          this.put(sessionId, owner, held.epoch, ttlMs);
          return true;
        }
      },
    },
  },
  {
    name: 'release-read-then-delete',
    says: 'A lease is found to be held in one step and removed in the next, whoever holds it then.',
    killedBy: ['LEASE-25'],
    classes: {
      leases: class extends ReferenceLeases {
        override async release(sessionId: string, owner: string): Promise<void> {
          const isHolder = this.isHolder(sessionId, owner);
          await this.parts.point('between');
          if (isHolder) this.end(sessionId);
        }
      },
    },
  },
];
