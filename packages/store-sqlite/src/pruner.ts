import { decode, type PruneResult } from '@lousho/core/contract';
import type { Connection } from './connection.js';
import type { LeaseTable } from './lease-table.js';
import type { StoredCheckpoints } from './stored-checkpoints.js';

/** Records looked at in one transaction, so that a big prune lets other work in between. */
const CHUNK = 100;

interface Candidate {
  readonly id: string;
}

/** Removes what nobody needs any more. What it looks at, it decides in the transaction that removes it. */
export class Pruner {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(
    readonly connection: Connection,
    readonly checkpoints: StoredCheckpoints,
    readonly leases: LeaseTable,
  ) {
    this.#sql = prepare(connection.db);
  }

  /** `savedBefore` in wall-clock milliseconds. */
  async prune(savedBefore: number): Promise<PruneResult> {
    return {
      checkpoints: await this.#inChunks(
        (after) => this.#sql.checkpoints.all(after, savedBefore, CHUNK),
        (checkpoint) => this.#removeCheckpoint(checkpoint),
      ),
      approvals: await this.#inChunks(
        (after) => this.#sql.approvals.all(after, savedBefore, CHUNK),
        (approval) => this.#removeApproval(approval),
      ),
      sessions: await this.#inChunks(
        (after) => this.#sql.sessions.all(after, savedBefore, CHUNK),
        (session) => this.#removeSession(session),
      ),
    };
  }

  async #inChunks<T extends Candidate>(
    candidates: (after: string) => T[],
    remove: (candidate: T) => boolean,
  ): Promise<number> {
    let removed = 0;
    for (let after = ''; ; ) {
      const from = after;
      const chunk = await this.connection.write(() => {
        const found = candidates(from);
        return { removed: found.filter(remove).length, last: found.at(-1)?.id, isLast: found.length < CHUNK };
      });
      removed += chunk.removed;
      if (chunk.isLast || chunk.last === undefined) return removed;
      after = chunk.last;
    }
  }

  /** A deleted checkpoint's history goes as well, but was counted by nobody as a checkpoint. */
  #removeCheckpoint({ id, isDeleted }: Candidate & { isDeleted: 0 | 1 }): boolean {
    if (this.leases.isHeld(id)) return false;
    this.leases.end(id);
    this.checkpoints.delete(id, false);
    return isDeleted === 0;
  }

  #removeApproval({ id, body }: Candidate & { body: string }): boolean {
    // A decision stays readable until its run has moved past it.
    if (runsOf(body).some((run) => this.#isActive(run))) return false;
    this.#sql.removeApproval.run(id);
    return true;
  }

  #removeSession({ id }: Candidate): boolean {
    if (this.#isActive(id)) return false;
    this.#sql.removeSession.run(id);
    return true;
  }

  /** Whether the id, or a turn of it, is unfinished or leased. */
  #isActive(id: string): boolean {
    return this.#sql.isUnfinished.get(id, id, id) !== undefined || this.leases.isHeldUnder(id);
  }
}

/** The ids of the runs that an approval names. */
function runsOf(body: string): string[] {
  type Named = { sessionId?: unknown };
  try {
    const { approval, snapshot } = decode(body) as {
      approval?: Named;
      snapshot?: { checkpoint?: Named };
    };
    return [approval?.sessionId, snapshot?.checkpoint?.sessionId].filter((id) => typeof id === 'string');
  } catch {
    return [];
  }
}

function prepare(db: Connection['db']) {
  return {
    checkpoints: db.prepare<[string, number, number], Candidate & { isDeleted: 0 | 1 }>(
      `SELECT session_id AS id, status IS NULL AS isDeleted
       FROM checkpoints
       WHERE session_id > ? AND saved_at < ? AND (status = 'finished' OR status IS NULL)
       ORDER BY session_id
       LIMIT ?`,
    ),
    approvals: db.prepare<[string, number, number], Candidate & { body: string }>(
      `SELECT id, body
       FROM approvals
       WHERE id > ? AND decided_at < ?
       ORDER BY id
       LIMIT ?`,
    ),
    sessions: db.prepare<[string, number, number], Candidate>(
      `SELECT id
       FROM sessions
       WHERE id > ? AND saved_at < ? AND messages IS NOT NULL
       ORDER BY id
       LIMIT ?`,
    ),
    isUnfinished: db.prepare<[string, string, string], { found: 1 }>(
      `SELECT 1 AS found
       FROM checkpoints
       WHERE status <> 'finished' AND (session_id = ? OR (session_id > ? || '.' AND session_id < ? || '/'))
       LIMIT 1`,
    ),
    removeApproval: db.prepare<[string]>('DELETE FROM approvals WHERE id = ?'),
    // The row stays, without its text, so that the revision goes on.
    removeSession: db.prepare<[string]>('UPDATE sessions SET messages = NULL WHERE id = ?'),
  };
}
