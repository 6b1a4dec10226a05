import { CheckpointCorruptError, type LogHead, type LogPage, type LogRecord } from '@lousho/core/contract';
import type { Row } from './attempt.js';
import type { Database } from './database.js';
import { pauseMs } from './database.js';
import { StatementFailure } from './failure.js';

/** Checkpoints and their history, as they are read and removed: each in one statement, and so as of one moment. */
export class StoredCheckpoints {
  constructor(
    readonly database: Database,
    readonly schema: string,
    readonly historyLimit: number,
  ) {}

  async read(sessionId: string): Promise<LogRecord | null> {
    const rows = await this.database.run(
      `WITH latest AS (
         SELECT c.session_key, c.seq
         FROM ${this.schema}.checkpoints c
         WHERE c.session_id = $1 AND c.status IS NOT NULL
       )
       SELECT l.seq::text AS seq, -1 AS idx, h.head AS body, h.message_count::text AS message_count, h.saved_at::text AS saved_at
       FROM latest l
       LEFT JOIN ${this.schema}.history h ON h.session_key = l.session_key AND h.seq = l.seq
       UNION ALL
       SELECT NULL, m.idx, m.body, NULL, NULL
       FROM latest l
       JOIN ${this.schema}.messages m ON m.session_key = l.session_key AND m.until IS NULL
       ORDER BY idx`,
      [sessionId],
    );
    const [head, ...messages] = rows;
    return head ? toRecord(sessionId, head, messages) : null;
  }

  async heads({ statuses, after = '', limit }: LogPage): Promise<LogHead[]> {
    const isUnfinished = statuses && !statuses.includes('finished');
    const rows = await this.database.run(
      `SELECT c.session_id, h.head
       FROM ${this.schema}.checkpoints c
       LEFT JOIN ${this.schema}.history h ON h.session_key = c.session_key AND h.seq = c.seq
       WHERE c.session_id > $1 AND c.status IS NOT NULL AND ($2::text[] IS NULL OR c.status = ANY ($2))
         ${isUnfinished ? "AND c.status <> 'finished'" : ''}
       ORDER BY c.session_id
       LIMIT $3`,
      [after, statuses ? [...statuses] : null, limit ?? null],
    );
    return rows.map((row) => {
      const sessionId = String(row.session_id);
      return typeof row.head === 'string'
        ? { sessionId, head: row.head }
        : { sessionId, fault: headless(sessionId) };
    });
  }

  /** An id that is only leased has none. */
  async ids(): Promise<string[]> {
    const rows = await this.database.run(
      `SELECT c.session_id
       FROM ${this.schema}.checkpoints c
       WHERE c.status IS NOT NULL OR EXISTS (SELECT FROM ${this.schema}.history h WHERE h.session_key = c.session_key)
       ORDER BY c.session_id`,
    );
    return rows.map((row) => String(row.session_id));
  }

  async history(sessionId: string, limit: number): Promise<LogRecord[]> {
    const kept = Math.min(limit, this.historyLimit);
    if (kept === 0) return [];
    const rows = await this.database.run(
      `WITH heads AS (
         SELECT h.session_key, h.seq, h.head, h.message_count, h.saved_at
         FROM ${this.schema}.checkpoints c
         JOIN ${this.schema}.history h USING (session_key)
         WHERE c.session_id = $1
         ORDER BY h.seq DESC
         LIMIT $2
       )
       SELECT -1 AS idx, seq::text AS seq, NULL AS until, head AS body, message_count::text AS message_count, saved_at::text AS saved_at
       FROM heads
       UNION ALL
       SELECT m.idx, m.since::text, m.until::text, m.body, NULL, NULL
       FROM ${this.schema}.messages m
       WHERE m.session_key = (SELECT session_key FROM heads LIMIT 1)
         AND m.since <= (SELECT max(seq) FROM heads)
         AND (m.until IS NULL OR m.until > (SELECT min(seq) FROM heads))
       ORDER BY idx`,
      [sessionId, kept],
    );
    const heads = rows.filter((row) => Number(row.idx) < 0).sort((a, b) => Number(b.seq) - Number(a.seq));
    const messages = rows.filter((row) => Number(row.idx) >= 0);
    return heads.map((head) => toRecord(sessionId, head, seenBy(messages, Number(head.seq))));
  }

  /** Ends the lease as well. */
  async delete(sessionId: string, keepHistory: boolean): Promise<void> {
    if (keepHistory && this.historyLimit > 0) {
      await this.database.run(
        `UPDATE ${this.schema}.checkpoints c
         SET status = NULL, revision = NULL, saved_epoch = NULL, lease_owner = NULL, lease_expires_at = NULL
         WHERE c.session_id = $1`,
        [sessionId],
      );
      return;
    }
    const deadline = performance.now() + this.database.deadlineMs;
    for (let attempts = 1; await this.#isLeftAfterRemoving(sessionId); attempts++) {
      if (performance.now() > deadline) {
        throw new StatementFailure(
          'conflict',
          new Error('other writers of the same id were faster each time'),
        );
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs(attempts)));
    }
  }

  /** `true` when it was saved in this moment: the rows of that save are not seen by this statement, so nothing is removed. */
  async #isLeftAfterRemoving(sessionId: string): Promise<boolean> {
    const [row] = await this.database.run(
      `WITH before AS MATERIALIZED (
         SELECT c.session_key, c.seq FROM ${this.schema}.checkpoints c WHERE c.session_id = $1
       ), gone AS (
         DELETE FROM ${this.schema}.checkpoints c
         USING before b
         WHERE c.session_key = b.session_key AND c.seq = b.seq
         RETURNING c.session_key
       ), messages AS (
         DELETE FROM ${this.schema}.messages m USING gone g WHERE m.session_key = g.session_key
       ), history AS (
         DELETE FROM ${this.schema}.history h USING gone g WHERE h.session_key = g.session_key
       )
       SELECT (SELECT count(*) FROM before) > (SELECT count(*) FROM gone) AS is_left`,
      [sessionId],
    );
    return row?.is_left === true;
  }
}

/** The messages that the save `seq` sees. */
function seenBy(messages: readonly Row[], seq: number): Row[] {
  return messages.filter((row) => Number(row.seq) <= seq && (row.until === null || seq < Number(row.until)));
}

function toRecord(sessionId: string, head: Row, messages: readonly Row[]): LogRecord {
  if (typeof head.body !== 'string') throw headless(sessionId);
  const gap = messages.findIndex((message, at) => Number(message.idx) !== at);
  if (gap >= 0 || messages.length !== Number(head.message_count)) {
    throw new CheckpointCorruptError(
      sessionId,
      `checkpoint ${sessionId}: expected ${head.message_count} messages, got ${messages.length}${gap >= 0 ? ` and none at ${gap}` : ''}`,
    );
  }
  return {
    head: head.body,
    rows: messages.map((message) => String(message.body)),
    savedAt: Number(head.saved_at),
  };
}

function headless(sessionId: string): CheckpointCorruptError {
  return new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: its head is missing`);
}
