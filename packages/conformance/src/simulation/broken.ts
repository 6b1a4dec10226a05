import type { AgentStore, Checkpoint, CheckpointStore } from '@lousho/core/contract';
import { ReferenceApprovals } from '../reference/reference-approvals.js';
import { ReferenceCheckpoints } from '../reference/reference-checkpoints.js';
import { ReferenceLeases } from '../reference/reference-leases.js';
import type { SimulatedMutant } from './simulate-mutant.js';

/** A broken thing, and within how many schedules the simulation must find it. */
export interface Broken extends SimulatedMutant {
  readonly says: string;
  readonly within: number;
}

/** Most of them no single client can see: the simulation's own test. */
export const BROKEN: readonly Broken[] = [
  {
    name: 'acquire-read-then-write',
    says: 'A lease is found free in one step and taken in the next.',
    within: 200,
    classes: {
      leases: class extends ReferenceLeases {
        override async acquire(sessionId: string, owner: string, ttlMs: number) {
          await this.parts.point('acquireLease');
          const held = this.held(sessionId);
          if (held && held.owner !== owner && this.isLive(held)) return false;
          await this.parts.point('between');
          const epoch = this.nextEpoch();
          this.put(sessionId, owner, epoch, ttlMs);
          return { epoch };
        }
      },
    },
  },
  {
    name: 'renew-read-then-write',
    says: 'A lease is found held in one step and renewed in the next.',
    within: 1_000,
    classes: {
      leases: class extends ReferenceLeases {
        override async renew(sessionId: string, owner: string, ttlMs: number) {
          await this.parts.point('renewLease');
          const held = this.held(sessionId);
          if (held?.owner !== owner) return false;
          await this.parts.point('between');
          this.put(sessionId, owner, held.epoch, ttlMs);
          await this.parts.point('renewLease:done');
          return true;
        }
      },
    },
  },
  {
    name: 'renew-steals-expired',
    says: 'A renewal takes an expired lease away from its holder.',
    within: 1_000,
    classes: {
      leases: class extends ReferenceLeases {
        override renewNow(sessionId: string, owner: string, ttlMs: number): boolean {
          const held = this.held(sessionId);
          const isExpired = held !== undefined && this.parts.clock.monotonic() >= held.expiresAt;
          if (!held || (held.owner !== owner && !isExpired)) return false;
          this.put(sessionId, owner, held.epoch, ttlMs);
          return true;
        }
      },
    },
  },
  {
    name: 'release-read-then-delete',
    says: 'A lease is found held in one step and ended in the next, whoever holds it then.',
    within: 4_000,
    classes: {
      leases: class extends ReferenceLeases {
        override async release(sessionId: string, owner: string) {
          await this.parts.point('releaseLease');
          if (this.held(sessionId)?.owner !== owner) return;
          await this.parts.point('between');
          this.end(sessionId);
          await this.parts.point('releaseLease:done');
        }
      },
    },
  },
  {
    name: 'save-check-then-write',
    says: 'The holder is checked in one step and the checkpoint written in the next.',
    within: 1_000,
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override async saveIfLeased(sessionId: string, checkpoint: Checkpoint, owner: string) {
          const save = this.encoded(checkpoint, owner);
          await this.parts.point('saveIfLeased');
          if (!this.leases.isHolder(sessionId, owner)) return false;
          await this.parts.point('between');
          this.addNow(sessionId, save);
          await this.parts.point('saveIfLeased:done');
          return true;
        }
      },
    },
  },
  {
    name: 'history-read-modify-write',
    says: 'The history is read in the step that saves and written in the next.',
    within: 200,
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override async saveIfLeased(sessionId: string, checkpoint: Checkpoint, owner: string) {
          const save = this.encoded(checkpoint, owner);
          await this.parts.point('saveIfLeased');
          if (!this.leases.isHolder(sessionId, owner)) return false;
          const { history } = this.run(sessionId);
          this.put(sessionId, { latest: save, history });
          await this.parts.point('between');
          const { latest } = this.run(sessionId);
          this.put(sessionId, { latest, history: [...history, save].slice(-this.parts.historyLimit) });
          await this.parts.point('saveIfLeased:done');
          return true;
        }
      },
    },
  },
  {
    name: 'decide-read-then-write',
    says: 'An approval is found undecided in one step and decided in the next.',
    within: 4_000,
    classes: {
      approvals: class extends ReferenceApprovals {
        override async decide(id: string, decision: string) {
          await this.parts.point('approvals.decide');
          const stored = this.parts.storage.approvals.get(id);
          if (!stored) return 'not-found';
          if (stored.decision !== null) return 'already-decided';
          await this.parts.point('between');
          this.parts.storage.approvals.set(id, { ...stored, decision });
          await this.parts.point('approvals.decide:done');
          return 'decided';
        }
      },
    },
  },
  {
    name: 'lost-lease-ignored',
    says: 'The executor saves over the head of whoever holds the lease.',
    within: 200,
    view: withCheckpoints((inner) => ({
      ...methodsOf(inner),
      saveIfLeased: async (sessionId, checkpoint, owner, options) => {
        if (await inner.saveIfLeased(sessionId, checkpoint, owner, options)) return true;
        await inner.save(sessionId, checkpoint, options);
        return true;
      },
    })),
  },
  {
    name: 'lease-never-doubted',
    says: 'The executor takes its lease for held without asking, however long it was away.',
    within: 200,
    view: withCheckpoints((inner) => ({ ...methodsOf(inner), renewLease: async () => true })),
  },
];

/** What differs from the reference and is as good. A simulation that finds one of them is broken. */
export const EQUIVALENT: readonly (SimulatedMutant & { readonly says: string })[] = [
  { name: 'reference', says: 'Nothing is changed.' },
  {
    name: 'save-reads-first',
    says: 'The holder is read in a step of its own, and again in the step that saves.',
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override async saveIfLeased(sessionId: string, checkpoint: Checkpoint, owner: string) {
          const save = this.encoded(checkpoint, owner);
          await this.parts.point('saveIfLeased');
          if (!this.leases.isHolder(sessionId, owner)) return false;
          await this.parts.point('between');
          const isSaved = this.saveIfLeasedNow(sessionId, save, owner);
          await this.parts.point('saveIfLeased:done');
          return isSaved;
        }
      },
    },
  },
];

type View = (inner: Required<CheckpointStore>) => CheckpointStore;

function withCheckpoints(view: View): (store: AgentStore) => AgentStore {
  return (store) => ({ ...store, checkpoints: view(store.checkpoints as Required<CheckpointStore>) });
}

/** The recorded store is a plain object. */
function methodsOf(store: Required<CheckpointStore>): CheckpointStore {
  return { ...store };
}
