import { setTimeout as delay } from 'node:timers/promises';
import type { Checkpoint, Lease } from '@lousho/core/contract';
import { ReferenceCheckpoints } from '../reference/reference-checkpoints.js';
import { ReferenceLeases } from '../reference/reference-leases.js';
import type { Control } from './mutant.js';

/** A kit that fails one of these is broken. */
export const CONTROLS: readonly Control[] = [
  { name: 'reference', says: 'Nothing is changed.' },
  {
    name: 'acquire-reads-first',
    says: 'A lease is read in a step of its own before it is taken, and what was read is not used.',
    classes: {
      leases: class extends ReferenceLeases {
        override async acquire(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
          this.held(sessionId);
          await this.parts.point('between');
          return super.acquire(sessionId, owner, ttlMs);
        }
      },
    },
  },
  {
    name: 'save-reads-first',
    says: 'The holder is read in a step of its own before a save, and read again in the step that writes.',
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override async saveIfLeased(
          sessionId: string,
          checkpoint: Checkpoint,
          owner: string,
        ): Promise<boolean> {
          // Taken before the first wait: a caller may change its object afterwards.
          const save = this.encoded(checkpoint, owner);
          if (!this.leases.isHolder(sessionId, owner)) return false;
          await this.parts.point('between');
          return this.saveIfLeasedNow(sessionId, save, owner);
        }
      },
    },
  },
  {
    name: 'renews-late',
    says: 'A renewal takes its time on the way, as over a network that is busy.',
    classes: {
      leases: class extends ReferenceLeases {
        override async renew(sessionId: string, owner: string, ttlMs: number): Promise<boolean> {
          await delay(20);
          return super.renew(sessionId, owner, ttlMs);
        }
      },
    },
  },
  {
    name: 'claims-less-than-it-keeps',
    says: 'Weaker values are declared than are kept.',
    capabilities: { fencing: 'best-effort', reads: 'eventual', clock: 'caller', deathProof: 'instance' },
  },
];
