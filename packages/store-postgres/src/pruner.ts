import { decode, type PruneResult } from '@lousho/core/contract';
import type { Row } from './attempt.js';
import type { Database } from './database.js';
import { IS_LEASED, NOW_MS } from './server-time.js';

/** Records looked at in one statement, so that a big prune keeps no lock for long. */
const CHUNK = 100;

/** Removes what nobody needs any more. Each statement decides about what it removes. */
export class Pruner {
  constructor(
    readonly database: Database,
    readonly schema: string,
  ) {}

  async prune(olderThanMs: number): Promise<PruneResult> {
    const [now] = await this.database.run(`SELECT ${NOW_MS}::text AS now`);
    const savedBefore = Math.ceil(Number(now?.now) - olderThanMs);
    return {
      checkpoints: await this.#inChunks((after) => this.#removeCheckpoints(after, savedBefore)),
      approvals: await this.#inChunks((after) => this.#removeApprovals(after, savedBefore)),
      sessions: await this.#inChunks((after) => this.#removeSessions(after, savedBefore)),
    };
  }

  async #inChunks(remove: (after: string) => Promise<Chunk>): Promise<number> {
    let removed = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const chunk: Chunk = await remove(after);
      removed += chunk.removed;
      after = chunk.last;
    }
    return removed;
  }

  /** Rows of deleted checkpoints and of ended leases go as well, but were counted by nobody as checkpoints. */
  async #removeCheckpoints(after: string, savedBefore: number): Promise<Chunk> {
    const rows = await this.database.run(
      `WITH old AS MATERIALIZED (
         SELECT c.session_key, c.session_id
         FROM ${this.schema}.checkpoints c
         WHERE c.session_id > $1 AND c.saved_at < $2 AND (c.status = 'finished' OR c.status IS NULL) AND NOT ${IS_LEASED}
         ORDER BY c.session_id
         LIMIT ${CHUNK}
         FOR UPDATE SKIP LOCKED
       ), gone AS (
         DELETE FROM ${this.schema}.checkpoints c
         USING old o
         WHERE c.session_key = o.session_key
         RETURNING c.session_key, c.session_id, c.status
       ), messages AS (
         DELETE FROM ${this.schema}.messages m USING gone g WHERE m.session_key = g.session_key
       ), history AS (
         DELETE FROM ${this.schema}.history h USING gone g WHERE h.session_key = g.session_key
       )
       SELECT session_id AS id, status IS NOT NULL AS counts FROM gone ORDER BY session_id`,
      [after, savedBefore],
    );
    return { removed: rows.filter((row) => row.counts === true).length, last: lastOf(rows) };
  }

  async #removeApprovals(after: string, savedBefore: number): Promise<Chunk> {
    const rows = await this.database.run(
      `SELECT id, body
       FROM ${this.schema}.approvals
       WHERE id > $1 AND decided_at < $2
       ORDER BY id
       LIMIT ${CHUNK}`,
      [after, savedBefore],
    );
    let removed = 0;
    for (const { id, body } of rows) {
      // A decision stays readable until its run has moved past it.
      const gone = await this.database.run(
        `DELETE FROM ${this.schema}.approvals a
         WHERE a.id = $1 AND a.decided_at < $2
           AND NOT EXISTS (SELECT FROM unnest($3::text[]) AS run (id) WHERE ${this.#isActive('run.id')})
         RETURNING a.id`,
        [id, savedBefore, runsOf(String(body))],
      );
      removed += gone.length;
    }
    return { removed, last: lastOf(rows) };
  }

  async #removeSessions(after: string, savedBefore: number): Promise<Chunk> {
    // The row stays, without its text, so that the revision goes on.
    const rows = await this.database.run(
      `WITH old AS MATERIALIZED (
         SELECT id
         FROM ${this.schema}.sessions
         WHERE id > $1 AND saved_at < $2 AND messages IS NOT NULL
         ORDER BY id
         LIMIT ${CHUNK}
       ), gone AS (
         UPDATE ${this.schema}.sessions s
         SET messages = NULL, commit_id = NULL
         FROM old o
         WHERE s.id = o.id AND s.saved_at < $2 AND NOT ${this.#isActive('o.id')}
         RETURNING s.id
       )
       SELECT o.id, g.id IS NOT NULL AS counts FROM old o LEFT JOIN gone g ON g.id = o.id ORDER BY o.id`,
      [after, savedBefore],
    );
    return { removed: rows.filter((row) => row.counts === true).length, last: lastOf(rows) };
  }

  /** Whether the id, or a turn of it, is unfinished or leased. */
  #isActive(id: string): string {
    return `EXISTS (
      SELECT FROM ${this.schema}.checkpoints c
      WHERE (c.session_id = ${id} OR (c.session_id > ${id} || '.' AND c.session_id < ${id} || '/'))
        AND (c.status <> 'finished' OR ${IS_LEASED})
    )`;
  }
}

interface Chunk {
  readonly removed: number;
  /** The id behind which the next chunk begins; `undefined` when this was the last one. */
  readonly last: string | undefined;
}

function lastOf(rows: readonly Row[]): string | undefined {
  const last = rows.at(-1);
  return last && String(last.id);
}

/** The ids of the runs that an approval names. */
function runsOf(body: string): string[] {
  type Named = { sessionId?: unknown };
  try {
    const { approval, snapshot } = decode(body) as { approval?: Named; snapshot?: { checkpoint?: Named } };
    return [approval?.sessionId, snapshot?.checkpoint?.sessionId].filter((id) => typeof id === 'string');
  } catch {
    return [];
  }
}
