import { type ApprovalRow, compareIds } from '@lousho/core/contract';
import { ReferenceApprovals } from '../reference/reference-approvals.js';
import type { Mutant } from './mutant.js';

/** Who decides, and how often. */
export const approvals: readonly Mutant[] = [
  {
    name: 'decide-read-then-write',
    says: 'An approval is found undecided in one step and decided in the next.',
    killedBy: ['APPROVAL-07'],
    classes: {
      approvals: class extends ReferenceApprovals {
        override async decide(id: string, decision: string) {
          const stored = this.getNow(id);
          await this.parts.point('between');
          if (!stored) return 'not-found';
          if (stored.decision !== null) return 'already-decided';
          this.parts.storage.approvals.set(id, { ...stored, decision, decidedAt: this.parts.clock.now() });
          return 'decided';
        }
      },
    },
  },
  {
    name: 'decide-again',
    says: 'Every decision is accepted, and the last one stays.',
    killedBy: ['APPROVAL-05'],
    classes: {
      approvals: class extends ReferenceApprovals {
        override decideNow(id: string, decision: string) {
          const stored = this.parts.storage.approvals.get(id);
          if (stored) this.parts.storage.approvals.set(id, { ...stored, decision: null });
          return super.decideNow(id, decision);
        }
      },
    },
  },
  {
    name: 'decided-still-listed',
    says: 'An approval is listed as owed after it was decided.',
    killedBy: ['APPROVAL-04'],
    classes: {
      approvals: class extends ReferenceApprovals {
        override undecidedNow(): readonly ApprovalRow[] {
          const { approvals: stored } = this.parts.storage;
          return [...stored].map(([id, row]) => ({ id, ...row, decision: null }));
        }
      },
    },
  },
  {
    name: 'saved-again-undecided',
    says: 'Saving a decided approval again takes its decision away.',
    killedBy: ['APPROVAL-09'],
    classes: {
      approvals: class extends ReferenceApprovals {
        override putNow({ id, createdAt, body }: Omit<ApprovalRow, 'decision'>): void {
          this.parts.storage.approvals.set(id, { createdAt, body, decision: null, decidedAt: 0 });
        }
      },
    },
  },
  {
    name: 'ids-of-undecided',
    says: 'A decided approval is not among the ids.',
    killedBy: ['APPROVAL-15'],
    classes: {
      approvals: class extends ReferenceApprovals {
        override idsNow(): readonly string[] {
          return this.undecidedNow()
            .map(({ id }) => id)
            .sort(compareIds);
        }
      },
    },
  },
];
