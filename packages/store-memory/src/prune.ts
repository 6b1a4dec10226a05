import { type Checkpoint, decode, type PruneResult } from '@lousho/core/contract';
import type { MemoryApprovals } from './memory-approvals.js';
import type { MemoryLog } from './memory-log.js';
import type { MemorySessions } from './memory-sessions.js';

export interface MemoryTables {
  readonly log: MemoryLog;
  readonly approvals: MemoryApprovals;
  readonly sessions: MemorySessions;
}

/** Removes what is older than the cutoff, a wall-clock instant, and still needed by nobody. */
export function prune({ log, approvals, sessions }: MemoryTables, cutoff: number): PruneResult {
  const needed = neededByRuns(log);
  return {
    checkpoints: log.prune(cutoff),
    approvals: approvals.prune(cutoff, needed.approvals),
    sessions: sessions.prune(cutoff, needed.sessions),
  };
}

/** An unfinished run needs the decisions that it waits for, and its conversation's transcript. */
function neededByRuns(log: MemoryLog): { approvals: ReadonlySet<string>; sessions: ReadonlySet<string> } {
  const approvals = new Set<string>();
  const sessions = new Set<string>();
  for (const entry of log.unfinishedHeads()) {
    sessions.add(entry.sessionId).add(entry.sessionId.replace(TURN_ENDING, ''));
    if ('fault' in entry) continue;
    const { approvalId, approvalIds = [] } = decode(entry.head) as Checkpoint;
    for (const id of approvalIds) approvals.add(id);
    if (approvalId !== undefined) approvals.add(approvalId);
  }
  return { approvals, sessions };
}

/** How the checkpoint of a conversation's turn is named after it. */
const TURN_ENDING = /(\.turn-\d+|\.paused)$/;
