import type { HistoryEntry } from '@lousho/core/contract';
import { ReferenceCheckpoints } from '../reference/reference-checkpoints.js';
import type { StoredSave } from '../reference/reference-storage.js';
import type { Mutant } from './mutant.js';

/** Which saves are kept, and how they are given. */
export const history: readonly Mutant[] = [
  {
    name: 'history-none',
    says: 'No save is kept.',
    killedBy: ['HISTORY-02'],
    classes: { checkpoints: keeping(() => []) },
  },
  {
    name: 'history-one-too-many',
    says: 'One save more than the limit is kept.',
    killedBy: ['HISTORY-06'],
    classes: { checkpoints: keeping((all, limit) => all.slice(-limit - 1)) },
  },
  {
    name: 'history-one-too-few',
    says: 'One save less than the limit is kept.',
    killedBy: ['HISTORY-06'],
    classes: { checkpoints: keeping((all, limit) => (limit > 1 ? all.slice(1 - limit) : [])) },
  },
  {
    name: 'history-drops-newest',
    says: 'When the history is full, the new save is not kept.',
    killedBy: ['HISTORY-06'],
    classes: { checkpoints: keeping((all, limit) => all.slice(0, limit)) },
  },
  {
    name: 'history-limit-zero-keeps-all',
    says: 'With a limit of 0 every save is kept.',
    killedBy: ['HISTORY-08'],
    classes: { checkpoints: keeping((all, limit) => all.slice(-limit)) },
  },
  {
    name: 'history-shared-ring',
    says: 'The limit counts over all ids, so that a busy run pushes out the history of the others.',
    killedBy: ['HISTORY-06:per-id'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override addNow(sessionId: string, save: StoredSave): void {
          super.addNow(sessionId, save);
          const kept = [...this.parts.storage.runs].flatMap(([id, { history }]) =>
            history.map((entry) => ({ id, entry })),
          );
          kept.sort((a, b) => a.entry.savedAt - b.entry.savedAt);
          for (const { id, entry } of kept.slice(0, Math.max(0, kept.length - this.parts.historyLimit))) {
            const run = this.run(id);
            this.put(id, { ...run, history: run.history.filter((one) => one !== entry) });
          }
        }
      },
    },
  },
  {
    name: 'history-oldest-first',
    says: 'The history begins with the oldest save.',
    killedBy: ['HISTORY-02'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override historyNow(sessionId: string, limit: number): readonly HistoryEntry[] {
          return [...super.historyNow(sessionId, limit)].reverse();
        }
      },
    },
  },
  {
    name: 'history-ignores-limit',
    says: 'However few entries are asked for, all are given.',
    killedBy: ['HISTORY-07'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override historyNow(sessionId: string): readonly HistoryEntry[] {
          return super.historyNow(sessionId, Number.POSITIVE_INFINITY);
        }
      },
    },
  },
  {
    name: 'history-shared-objects',
    says: 'The history gives the same objects each time, so that a caller changes what is kept.',
    killedBy: ['FIDELITY-11'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override historyNow(sessionId: string, limit: number): readonly HistoryEntry[] {
          const saves = [...this.run(sessionId).history].reverse();
          return super.historyNow(sessionId, limit).map((entry, index) => {
            const save = saves[index] as StoredSave;
            const known = SHARED_ENTRIES.get(save) ?? entry;
            SHARED_ENTRIES.set(save, known);
            return known;
          });
        }
      },
    },
  },
  {
    name: 'delete-keeps-history',
    says: 'A delete leaves the history.',
    killedBy: ['HISTORY-09'],
    classes: { checkpoints: deletingWith(() => true) },
  },
  {
    name: 'delete-ignores-keep-history',
    says: 'A delete removes the history that was to be kept.',
    killedBy: ['HISTORY-10'],
    classes: { checkpoints: deletingWith(() => false) },
  },
];

const SHARED_ENTRIES = new WeakMap<StoredSave, HistoryEntry>();

function keeping(
  kept: (all: readonly StoredSave[], limit: number) => readonly StoredSave[],
): typeof ReferenceCheckpoints {
  return class extends ReferenceCheckpoints {
    override addNow(sessionId: string, save: StoredSave): void {
      const all = [...this.run(sessionId).history, save];
      this.put(sessionId, { latest: save, history: kept(all, this.parts.historyLimit) });
    }
  };
}

function deletingWith(keeps: () => boolean): typeof ReferenceCheckpoints {
  return class extends ReferenceCheckpoints {
    override deleteNow(sessionId: string): void {
      super.deleteNow(sessionId, keeps());
    }
  };
}
