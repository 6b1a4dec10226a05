import type { BundledStore, PruneOptions, PruneResult } from '@lousho/core/contract';
import type { Mutant } from './mutant.js';

/** What concerns no part of a store alone: pruning, closing, claiming. */
export const wholeStore: readonly Mutant[] = [
  {
    name: 'prune-no-op',
    says: 'A prune removes nothing.',
    killedBy: ['PRUNE-01', 'PRUNE-05', 'PRUNE-08'],
    around: pruning(async () => ({ checkpoints: 0, approvals: 0, sessions: 0 })),
  },
  {
    name: 'prune-ignores-age',
    says: 'A prune removes all that is over, however young.',
    killedBy: ['PRUNE-02'],
    around: pruning((store) => store.prune({ olderThanMs: 0 })),
  },
  {
    name: 'prune-boundary',
    says: 'What is as old as the given age is removed with what is older.',
    killedBy: ['PRUNE-02'],
    around: pruning((store, { olderThanMs }) => store.prune({ olderThanMs: Math.max(0, olderThanMs - 1) })),
  },
  {
    name: 'prune-named-status',
    says: 'A prune that names what is finished removes nothing.',
    killedBy: ['PRUNE-13'],
    around: pruning(async (store, options) => {
      const removed = { checkpoints: 0, approvals: 0, sessions: 0 };
      return options.status === undefined ? store.prune(options) : removed;
    }),
  },
  {
    name: 'prune-any-status',
    says: 'A prune that is asked for runs that are not over removes those that are.',
    killedBy: ['PRUNE-14'],
    around: pruning((store, { olderThanMs }) => store.prune({ olderThanMs })),
  },
  {
    name: 'close-no-op',
    says: 'A closed client goes on.',
    killedBy: ['CLOSE-01'],
    around: (store) => ({ ...store, close: async () => {} }),
  },
];

function pruning(
  prune: (store: BundledStore, options: PruneOptions) => Promise<PruneResult>,
): (store: BundledStore) => BundledStore {
  return (store) => ({ ...store, prune: (options) => prune(store, options) });
}
