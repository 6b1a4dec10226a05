import { type Checkpoint, isStoreKey, isUnreadable, type PruneResult, statusOf } from '@lousho/core/contract';
import type { KvApprovalTable } from './kv-approval-table.js';
import type { KvParts } from './kv-parts.js';
import type { KvSessionTable } from './kv-session-table.js';

export interface PruneParts {
  readonly parts: KvParts;
  readonly approvals: KvApprovalTable;
  readonly sessions: KvSessionTable;
}

/** Removes what is older than the cutoff, in wall-clock milliseconds, and still needed by nobody. */
export async function prune(
  { parts, approvals, sessions }: PruneParts,
  cutoff: number,
): Promise<PruneResult> {
  const found = await lookThrough(parts, cutoff);
  return {
    checkpoints: await count(found.old, (id) => removeCheckpoint(parts, id)),
    approvals: await count(await decidedBefore(approvals, cutoff), async (id) => {
      if (found.approvals.has(id)) return false;
      await approvals.delete(id);
      return true;
    }),
    sessions: await count(await collect(sessions.names()), async (id) => {
      return !found.sessions.has(id) && sessions.forget(id, cutoff);
    }),
  };
}

interface Found {
  readonly old: string[];
  /** What unfinished runs need: the decisions that they wait for, and their conversations' transcripts. */
  readonly approvals: Set<string>;
  readonly sessions: Set<string>;
}

/** How the checkpoint of a conversation's turn is named after it. */
const TURN_ENDING = /(\.turn-\d+|\.paused)$/;

async function lookThrough(parts: KvParts, cutoff: number): Promise<Found> {
  const found: Found = { old: [], approvals: new Set(), sessions: new Set() };
  const ids = new Set<string>();
  for await (const { sessionId, facts } of parts.checkpoints.ids()) {
    ids.add(sessionId);
    if (facts.status === 'finished') {
      if ((facts.savedAt ?? cutoff) < cutoff) found.old.push(sessionId);
    } else await noteUnfinished(parts, sessionId, found);
  }
  await dropOrphans(parts, ids, cutoff);
  return found;
}

async function noteUnfinished(parts: KvParts, sessionId: string, found: Found): Promise<void> {
  const checkpoint = await readable(parts, sessionId);
  if (checkpoint && statusOf(checkpoint) === 'finished') return;
  found.sessions.add(sessionId).add(sessionId.replace(TURN_ENDING, ''));
  const { approvalId, approvalIds = [] } = checkpoint ?? {};
  for (const id of approvalIds) found.approvals.add(id);
  if (approvalId !== undefined) found.approvals.add(approvalId);
}

async function readable(parts: KvParts, sessionId: string): Promise<Checkpoint | null> {
  try {
    return await parts.checkpoints.load(sessionId);
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** Histories that outlived their checkpoint. */
async function dropOrphans(parts: KvParts, ids: ReadonlySet<string>, cutoff: number): Promise<void> {
  const { keys, values } = parts;
  const orphans: string[] = [];
  for await (const { name, metadata } of values.keys(keys.checkpoints)) {
    const [id = '', kind] = name.slice(keys.checkpoints.length).split('#');
    const { savedAt } = (metadata ?? {}) as { savedAt?: number };
    const isOld = savedAt !== undefined && savedAt < cutoff;
    if (kind === 'history' && isOld && isStoreKey(id) && !ids.has(id)) orphans.push(id);
  }
  for (const id of orphans) if (!(await parts.leases.isHeld(id))) await parts.checkpoints.delete(id, false);
}

async function removeCheckpoint(parts: KvParts, sessionId: string): Promise<boolean> {
  if (await parts.leases.isHeld(sessionId)) return false;
  // The listing may be old: what has gone on since is not over.
  const checkpoint = await readable(parts, sessionId);
  if (!checkpoint || statusOf(checkpoint) !== 'finished') return false;
  await parts.checkpoints.delete(sessionId, false);
  return true;
}

async function decidedBefore(approvals: KvApprovalTable, cutoff: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id, facts } of approvals.facts()) {
    if (facts.decidedAt !== undefined && facts.decidedAt < cutoff) ids.push(id);
  }
  return ids;
}

async function collect(ids: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const id of ids) all.push(id);
  return all;
}

async function count(ids: readonly string[], remove: (id: string) => Promise<boolean>): Promise<number> {
  let removed = 0;
  for (const id of ids) if (await remove(id)) removed += 1;
  return removed;
}
