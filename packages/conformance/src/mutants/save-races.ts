import { type Checkpoint, encode } from '@lousho/core/contract';
import { ReferenceCheckpoints } from '../reference/reference-checkpoints.js';
import { step } from '../reference/reference-parts.js';
import type { StoredSave } from '../reference/reference-storage.js';
import type { Mutant } from './mutant.js';

/** Saves that take more than one step. */
export const saveRaces: readonly Mutant[] = [
  {
    name: 'save-check-then-write',
    says: 'The holder is checked in one step and its save written in the next.',
    killedBy: ['FENCE-04:in-flight', 'FENCE-12:race', 'FENCE-14'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override async saveIfLeased(
          sessionId: string,
          checkpoint: Checkpoint,
          owner: string,
        ): Promise<boolean> {
          const save = this.encoded(checkpoint, owner);
          await this.parts.point('saveIfLeased');
          if (!this.leases.isHolder(sessionId, owner)) return false;
          await this.parts.point('between');
          if (!this.isRepeated(sessionId, save)) this.addNow(sessionId, save);
          return true;
        }
      },
    },
  },
  {
    name: 'save-torn',
    says: 'The transcript of a save is written in one step and its fields in the next.',
    killedBy: ['CHECKPOINT-14:in-flight'],
    classes: {
      checkpoints: inSteps((store, sessionId, save) => {
        const before = store.loadNow(sessionId);
        if (before === null) return;
        const { messages } = store.decoded(save);
        const { history } = store.run(sessionId);
        const half = { ...save, text: encode({ ...before, messages }, 'checkpoint') };
        store.put(sessionId, { latest: half, history });
      }),
    },
  },
  {
    name: 'save-history-not-atomic',
    says: 'The checkpoint is written in one step and its entry in the history in the next.',
    killedBy: ['HISTORY-12:in-flight'],
    classes: {
      checkpoints: inSteps((store, sessionId, save) => {
        store.put(sessionId, { latest: save, history: store.run(sessionId).history });
      }),
    },
  },
  {
    name: 'save-history-read-modify-write',
    says: 'The history is read in one step and written, with one more entry, in the next.',
    killedBy: ['HISTORY-02:at-once'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override async save(sessionId: string, checkpoint: Checkpoint): Promise<void> {
          const save = this.encoded(checkpoint, undefined);
          await this.parts.point('save');
          const { history } = this.run(sessionId);
          await this.parts.point('between');
          this.put(sessionId, { latest: null, history });
          this.addNow(sessionId, save);
        }
      },
    },
  },
];

/** Each save in two steps, the first of which is the given one. */
function inSteps(
  first: (store: ReferenceCheckpoints, sessionId: string, save: StoredSave) => void,
): typeof ReferenceCheckpoints {
  return class extends ReferenceCheckpoints {
    override async save(sessionId: string, checkpoint: Checkpoint): Promise<void> {
      const save = this.encoded(checkpoint, undefined);
      await step(this.parts, 'save', () => first(this, sessionId, save));
      await this.parts.point('between');
      await step(this.parts, 'save:second', () => this.addNow(sessionId, save));
    }
  };
}
