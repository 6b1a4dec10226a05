import type { Clock, PruneResult } from '@lousho/core/contract';
import { type CheckpointState, isEmpty } from './checkpoint-state.js';
import type { FileApprovalTable } from './file-approval-table.js';
import type { FileCheckpointLog } from './file-checkpoint-log.js';
import type { FileSessionTable } from './file-session-table.js';
import { listIds } from './list-ids.js';
import type { LogCollection } from './log-collection.js';
import { DamagedLogError } from './log-errors.js';
import { isHeld, OpenRuns, runsOf } from './open-runs.js';

export interface PruneParts {
  readonly checkpoints: FileCheckpointLog;
  readonly approvals: FileApprovalTable;
  readonly sessions: FileSessionTable;
  readonly clock: Clock;
}

/** How the logs of one kind are pruned. */
interface Rules<S> {
  readonly logs: LogCollection<S>;
  /** Asked again in the same step that removes the log. */
  isPurgeable(state: S): boolean;
  /** Whether it counts as a record; the rest are the remains of deleted ones. */
  isRecord(state: S): boolean;
  purge(id: string, isPurgeable: (state: S) => boolean): Promise<boolean>;
  visit?(id: string, state: S | 'unreadable'): void;
}

/** Removes what is over and older than the cutoff; see `BundledStore.prune`. */
export async function prune(parts: PruneParts, olderThanMs: number): Promise<PruneResult> {
  const { checkpoints, approvals, sessions } = parts;
  const before = parts.clock.now() - olderThanMs;
  const { judge } = checkpoints.parts;
  const open = new OpenRuns();
  return {
    checkpoints: await pruneEach<CheckpointState>({
      logs: checkpoints.parts.logs,
      isPurgeable: (state) => isEmpty(state) || (isOver(state, before) && !isHeld(state, judge)),
      isRecord: ({ head }) => head !== null,
      purge: (id, isPurgeable) => checkpoints.purge(id, isPurgeable),
      visit: (id, state) => {
        if (state === 'unreadable' || open.isOpen(state, judge)) open.add(id);
      },
    }),
    approvals: await pruneEach({
      logs: approvals.parts.logs,
      isPurgeable: ({ row, decidedAt }) => {
        if (row === null) return true;
        if (decidedAt === null || decidedAt >= before) return false;
        // A decision stays readable until its run has moved past it.
        return !runsOf(row.body).some((run) => open.needs(run));
      },
      isRecord: ({ row }) => row !== null,
      purge: (id, isPurgeable) => approvals.purge(id, isPurgeable),
    }),
    sessions: await pruneEach({
      logs: sessions.parts.logs,
      isPurgeable: ({ changedAt }) => changedAt < before,
      isRecord: ({ messages }) => messages !== null,
      purge: async (id, isPurgeable) => !open.needs(id) && sessions.purge(id, isPurgeable),
    }),
  };
}

/** Finished, deleted with its history kept, or never begun, long enough ago. */
function isOver({ head, deletedAt, lease, history }: CheckpointState, before: number): boolean {
  if (head) return head.status === 'finished' && head.savedAt < before;
  if (deletedAt !== null) return deletedAt < before;
  // Leased by a process that died before its first save: nothing was ever kept.
  return lease !== null && history.length === 0 && lease.term.expiresWallMs < before;
}

async function pruneEach<S>(rules: Rules<S>): Promise<number> {
  let count = 0;
  for await (const id of listIds(rules.logs)) {
    if (await pruneOne(rules, id)) count++;
  }
  return count;
}

/** `true` when it removed a record. */
async function pruneOne<S>(rules: Rules<S>, id: string): Promise<boolean> {
  try {
    const found = await rules.logs.glance(id, (state) => {
      rules.visit?.(id, state);
      return rules.isPurgeable(state) && { counts: rules.isRecord(state) };
    });
    return Boolean(found && (await rules.purge(id, rules.isPurgeable)) && found.counts);
  } catch (error) {
    // Left for a person to look at.
    if (!(error instanceof DamagedLogError)) throw error;
    rules.visit?.(id, 'unreadable');
    return false;
  }
}
