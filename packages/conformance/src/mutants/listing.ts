import { type CheckpointListing, compareIds, type ListFilter } from '@lousho/core/contract';
import { ReferenceCheckpoints } from '../reference/reference-checkpoints.js';
import type { Mutant } from './mutant.js';

/** Which ids are listed. */
export const listing: readonly Mutant[] = [
  {
    name: 'list-first-page',
    says: 'Of many ids only the first thousand are listed: the first page of what lies below.',
    killedBy: ['LIST-01:many'],
    classes: { checkpoints: listed((all) => all.slice(0, 1_000)) },
  },
  {
    name: 'list-skips-boundary',
    says: 'The first id behind `after` is left out.',
    killedBy: ['LIST-03', 'LIST-05'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override listNow(filter: ListFilter): readonly CheckpointListing[] {
          if (filter.after === undefined) return super.listNow(filter);
          const { limit = Number.POSITIVE_INFINITY, ...rest } = filter;
          return super.listNow(rest).slice(1, limit + 1);
        }
      },
    },
  },
  {
    name: 'list-folds-case',
    says: 'Of ids that differ only in case one is listed.',
    killedBy: ['LIST-01'],
    classes: {
      checkpoints: listed((all) => [
        ...new Map(all.map((entry) => [entry.sessionId.toLowerCase(), entry])).values(),
      ]),
    },
  },
  {
    name: 'list-sorted-by-language',
    says: 'Ids are listed in the order of a dictionary.',
    killedBy: ['LIST-01'],
    classes: {
      checkpoints: listed((all) =>
        [...all].sort(
          (a, b) => a.sessionId.localeCompare(b.sessionId) || compareIds(a.sessionId, b.sessionId),
        ),
      ),
    },
  },
  {
    name: 'list-ignores-status',
    says: 'A list of one status lists them all.',
    killedBy: ['LIST-02'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override listNow({ status: _, ...filter }: ListFilter): readonly CheckpointListing[] {
          return super.listNow(filter);
        }
      },
    },
  },
  {
    name: 'list-first-status',
    says: 'An id is listed under the status of its oldest kept save.',
    killedBy: ['LIST-11'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override listNow({ status, ...filter }: ListFilter): readonly CheckpointListing[] {
          return super
            .listNow(filter)
            .map((entry) => {
              const oldest = this.run(entry.sessionId).history[0]?.status ?? entry.status;
              return { ...entry, status: oldest };
            })
            .filter((entry) => status === undefined || entry.status === status);
        }
      },
    },
  },
  {
    name: 'ids-of-listed',
    says: 'An id of which only the history is kept is not among the ids.',
    killedBy: ['LIST-14:kept-history'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override idsNow(): readonly string[] {
          return this.listNow({}).map(({ sessionId }) => sessionId);
        }
      },
    },
  },
  {
    name: 'ids-as-they-came',
    says: 'The ids are given in the order in which they were first saved.',
    killedBy: ['LIST-14'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override idsNow(): readonly string[] {
          return [...this.parts.storage.runs.keys()];
        }
      },
    },
  },
];

function listed(
  change: (all: readonly CheckpointListing[]) => readonly CheckpointListing[],
): typeof ReferenceCheckpoints {
  return class extends ReferenceCheckpoints {
    override listNow(filter: ListFilter): readonly CheckpointListing[] {
      return change(super.listNow(filter));
    }
  };
}
