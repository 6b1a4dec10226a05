import { type Checkpoint, decode, type PruneResult } from '@lousho/core/contract';
import type { ReferenceLeases } from './reference-leases.js';
import type { ReferenceParts } from './reference-parts.js';

/** Forgets what is older than the cutoff, a wall-clock instant, and needed by nobody. */
export function pruneNow(parts: ReferenceParts, leases: ReferenceLeases, cutoff: number): PruneResult {
  const needed = neededByUnfinished(parts);
  return {
    checkpoints: pruneRuns(parts, leases, cutoff),
    approvals: pruneApprovals(parts, cutoff, needed.approvals),
    sessions: pruneTranscripts(parts, cutoff, needed.sessions),
  };
}

function neededByUnfinished({ storage }: ReferenceParts): { approvals: Set<string>; sessions: Set<string> } {
  const approvals = new Set<string>();
  const sessions = new Set<string>();
  for (const [sessionId, { latest }] of storage.runs) {
    if (!latest || latest.status === 'finished') continue;
    sessions.add(sessionId).add(sessionId.replace(/(\.turn-\d+|\.paused)$/, ''));
    const { approvalId, approvalIds = [] } = decode(latest.text) as Checkpoint;
    for (const id of approvalIds) approvals.add(id);
    if (approvalId !== undefined) approvals.add(approvalId);
  }
  return { approvals, sessions };
}

function pruneRuns({ storage }: ReferenceParts, leases: ReferenceLeases, cutoff: number): number {
  let count = 0;
  for (const [sessionId, { latest, history }] of [...storage.runs]) {
    if (latest === null) {
      const kept = history.filter(({ savedAt }) => savedAt >= cutoff);
      if (kept.length === 0) storage.runs.delete(sessionId);
      else storage.runs.set(sessionId, { latest, history: kept });
      continue;
    }
    const lease = leases.held(sessionId);
    if (latest.status !== 'finished' || latest.savedAt >= cutoff || (lease && leases.isLive(lease))) continue;
    leases.end(sessionId);
    storage.runs.delete(sessionId);
    count += 1;
  }
  return count;
}

function pruneApprovals({ storage }: ReferenceParts, cutoff: number, needed: ReadonlySet<string>): number {
  const old = [...storage.approvals].filter(
    ([id, { decision, decidedAt }]) => decision !== null && decidedAt < cutoff && !needed.has(id),
  );
  for (const [id] of old) storage.approvals.delete(id);
  return old.length;
}

function pruneTranscripts({ storage }: ReferenceParts, cutoff: number, needed: ReadonlySet<string>): number {
  const old = [...storage.transcripts].filter(
    ([id, { messages, savedAt }]) => messages !== null && savedAt < cutoff && !needed.has(id),
  );
  for (const [id, stored] of old) storage.transcripts.set(id, { ...stored, messages: null });
  return old.length;
}
