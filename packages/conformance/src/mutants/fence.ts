import { ReferenceCheckpoints } from '../reference/reference-checkpoints.js';
import { ReferenceLeases } from '../reference/reference-leases.js';
import type { StoredSave } from '../reference/reference-storage.js';
import type { Mutant } from './mutant.js';

/** Who may save. */
export const fence: readonly Mutant[] = [
  {
    name: 'save-unfenced',
    says: 'Whoever saves under a lease is believed to hold it.',
    killedBy: ['FENCE-02', 'FENCE-04'],
    classes: { leases: holderIf(() => true) },
  },
  {
    name: 'save-without-lease',
    says: 'While nobody holds an id, everybody may save it.',
    killedBy: ['FENCE-02', 'FENCE-05', 'FENCE-06'],
    classes: { leases: holderIf((owner, holder) => holder === undefined || holder === owner) },
  },
  {
    name: 'save-compares-beginnings',
    says: "An owner whose name begins as the holder's does may save.",
    killedBy: ['FENCE-02'],
    classes: { leases: holderIf((owner, holder) => holder !== undefined && owner.startsWith(holder)) },
  },
  {
    name: 'save-refuses-late-holder',
    says: 'A holder past its expiry that nobody has replaced cannot save.',
    killedBy: ['FENCE-03'],
    classes: {
      leases: class extends ReferenceLeases {
        override isHolder(sessionId: string, owner: string): boolean {
          const held = this.held(sessionId);
          return held?.owner === owner && this.isLive(held);
        }
      },
    },
  },
  {
    name: 'fenced-save-answers-yes',
    says: 'A save that was refused answers yes.',
    killedBy: ['FENCE-02'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override saveIfLeasedNow(sessionId: string, save: StoredSave, owner: string): boolean {
          return super.saveIfLeasedNow(sessionId, save, owner) || true;
        }
      },
    },
  },
  {
    name: 'fenced-save-writes',
    says: 'A save that is refused was written before.',
    killedBy: ['FENCE-02', 'FENCE-06'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override saveIfLeasedNow(sessionId: string, save: StoredSave, owner: string): boolean {
          if (!this.leases.isHolder(sessionId, owner)) this.addNow(sessionId, save);
          return super.saveIfLeasedNow(sessionId, save, owner);
        }
      },
    },
  },
  {
    name: 'delete-leaves-lease',
    says: 'A delete leaves the lease, so that a run under way saves the id anew.',
    killedBy: ['FENCE-06', 'LEASE-12'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override deleteNow(sessionId: string, keepHistory: boolean): void {
          const held = this.leases.held(sessionId);
          super.deleteNow(sessionId, keepHistory);
          if (held) this.parts.storage.leases.set(sessionId, held);
        }
      },
    },
  },
  {
    name: 'repeated-save-stored-twice',
    says: 'A save that is sent again is one more save.',
    killedBy: ['FENCE-07', 'FENCE-08'],
    classes: { checkpoints: repeatedIf(() => false) },
  },
  {
    name: 'repetition-by-revision',
    says: 'A save at a revision that is stored counts as repeated, whosever that is.',
    killedBy: ['FENCE-09'],
    classes: {
      checkpoints: repeatedIf(
        (save, latest) => latest?.revision !== undefined && latest.revision === save.revision,
      ),
    },
  },
  {
    name: 'repetition-without-revision',
    says: 'A save without a revision counts as repeated when its owner saved before.',
    killedBy: ['FENCE-10'],
    classes: {
      checkpoints: repeatedIf((save, latest) => {
        return latest?.owner === save.owner && (save.revision ?? 0) <= (latest?.revision ?? 0);
      }),
    },
  },
];

function holderIf(mayBe: (owner: string, holder: string | undefined) => boolean): typeof ReferenceLeases {
  return class extends ReferenceLeases {
    override isHolder(sessionId: string, owner: string): boolean {
      return mayBe(owner, this.held(sessionId)?.owner);
    }
  };
}

function repeatedIf(
  isSo: (save: StoredSave, latest: StoredSave | null) => boolean,
): typeof ReferenceCheckpoints {
  return class extends ReferenceCheckpoints {
    override isRepeated(sessionId: string, save: StoredSave): boolean {
      return isSo(save, this.run(sessionId).latest);
    }
  };
}
