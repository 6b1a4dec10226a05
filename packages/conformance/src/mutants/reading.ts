import { type Checkpoint, encode, type SaveOptions } from '@lousho/core/contract';
import { ReferenceCheckpoints } from '../reference/reference-checkpoints.js';
import type { StoredSave } from '../reference/reference-storage.js';
import type { Mutant } from './mutant.js';

/** What is loaded, and what a save and a delete leave behind. */
export const reading: readonly Mutant[] = [
  {
    name: 'save-aliases',
    says: "A save keeps the caller's object, and stores what has become of it.",
    killedBy: ['FIDELITY-10'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override encoded(checkpoint: Checkpoint, owner: string | undefined): StoredSave {
          return {
            ...super.encoded(checkpoint, owner),
            get text() {
              return encode(checkpoint, 'checkpoint');
            },
          };
        }
      },
    },
  },
  {
    name: 'load-gives-oldest',
    says: 'A load gives the oldest save that is kept.',
    killedBy: ['CHECKPOINT-02'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override loadNow(sessionId: string): Checkpoint | null {
          const { latest, history } = this.run(sessionId);
          const oldest = latest && (history[0] ?? latest);
          return oldest && this.decoded(oldest);
        }
      },
    },
  },
  {
    name: 'load-cached',
    says: 'A client loads once, and then gives what it remembers.',
    killedBy: ['CHECKPOINT-14'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        readonly remembered = new Map<string, StoredSave | null>();

        override loadNow(sessionId: string): Checkpoint | null {
          const known = this.remembered.get(sessionId);
          const latest = known === undefined ? this.run(sessionId).latest : known;
          this.remembered.set(sessionId, latest);
          return latest && this.decoded(latest);
        }

        override addNow(sessionId: string, save: StoredSave): void {
          super.addNow(sessionId, save);
          this.remembered.set(sessionId, save);
        }

        override deleteNow(sessionId: string, keepHistory: boolean): void {
          super.deleteNow(sessionId, keepHistory);
          this.remembered.set(sessionId, null);
        }
      },
    },
  },
  {
    name: 'load-shared-objects',
    says: 'A load gives the same object each time, so that a caller changes what is stored.',
    killedBy: ['FIDELITY-11'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override decoded(save: StoredSave): Checkpoint {
          const known = SHARED.get(save) ?? super.decoded(save);
          SHARED.set(save, known);
          return known;
        }
      },
    },
  },
  {
    name: 'delete-prefix',
    says: 'A delete removes every id that begins with the given one.',
    killedBy: ['ID-05'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override deleteNow(sessionId: string, keepHistory: boolean): void {
          for (const id of [...this.parts.storage.runs.keys()])
            if (id.startsWith(sessionId)) super.deleteNow(id, keepHistory);
          super.deleteNow(sessionId, keepHistory);
        }
      },
    },
  },
  {
    name: 'vouching-believed',
    says: 'Messages that a save vouches for are taken from whatever is stored.',
    killedBy: ['CHECKPOINT-09', 'CHECKPOINT-10'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override save(sessionId: string, checkpoint: Checkpoint, options: SaveOptions = {}): Promise<void> {
          const { unchangedMessages = 0 } = options;
          const stored = this.loadNow(sessionId)?.messages ?? [];
          const messages = [
            ...stored.slice(0, unchangedMessages),
            ...checkpoint.messages.slice(unchangedMessages),
          ];
          return super.save(sessionId, { ...checkpoint, messages }, options);
        }
      },
    },
  },
  {
    name: 'save-merges',
    says: 'A save leaves the fields that it does not name as they were.',
    killedBy: ['CHECKPOINT-03'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override save(sessionId: string, checkpoint: Checkpoint, options?: SaveOptions): Promise<void> {
          return super.save(sessionId, { ...this.loadNow(sessionId), ...checkpoint }, options);
        }
      },
    },
  },
];

const SHARED = new WeakMap<StoredSave, Checkpoint>();
