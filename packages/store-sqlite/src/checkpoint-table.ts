import type { CheckpointStatus, LogPage } from '@lousho/core/contract';
import type { Database } from 'better-sqlite3';

/** Where the latest save of an id stands. */
export interface CheckpointRow {
  readonly session_key: number;
  readonly session_id: string;
  readonly seq: number;
  readonly revision: number | null;
  /** `null`: deleted, its history is kept. */
  readonly status: CheckpointStatus | null;
  readonly message_count: number;
  /** The epoch of the lease under which it was saved; `null` for an unfenced save. */
  readonly epoch: number | null;
}

type NewCheckpoint = Omit<CheckpointRow, 'session_key'> & { readonly saved_at: number };

/** One small row per session id. */
export class CheckpointTable {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#sql = prepare(db);
  }

  find(sessionId: string): CheckpointRow | undefined {
    return this.#sql.find.get(sessionId);
  }

  /** The rows of a listing, by id; deleted ones are not listed. */
  page(page: LogPage): Pick<CheckpointRow, 'session_id' | 'session_key' | 'seq'>[] {
    const { statuses, after = '', limit = -1 } = page;
    if (!statuses) return this.#sql.pageAll.all(after, limit);
    const statement = statuses.includes('finished') ? this.#sql.pageSome : this.#sql.pageUnfinished;
    return statement.all(after, JSON.stringify(statuses), limit);
  }

  /** Deleted ones of which the history is kept among them. */
  ids(): string[] {
    return this.#sql.ids.all().map(({ session_id }) => session_id);
  }

  /** Returns the new row's key. */
  insert(row: NewCheckpoint): number {
    return Number(this.#sql.insert.run(row).lastInsertRowid);
  }

  update(row: NewCheckpoint, before: CheckpointRow): void {
    const statement = row.status === before.status ? this.#sql.update : this.#sql.updateStatus;
    statement.run({ ...row, session_key: before.session_key });
  }

  markDeleted(sessionKey: number): void {
    this.#sql.markDeleted.run(sessionKey);
  }

  drop(sessionKey: number): void {
    this.#sql.drop.run(sessionKey);
  }
}

function prepare(db: Database) {
  type PageRow = Pick<CheckpointRow, 'session_id' | 'session_key' | 'seq'>;
  const page = (condition: string) =>
    `SELECT session_id, session_key, seq
     FROM checkpoints
     WHERE session_id > ? AND ${condition}
     ORDER BY session_id
     LIMIT ?`;
  const ONE_OF = 'status IN (SELECT value FROM json_each(?))';
  const UPDATE = (status: string) =>
    `UPDATE checkpoints
     SET seq = @seq, revision = @revision, ${status} message_count = @message_count, epoch = @epoch, saved_at = @saved_at
     WHERE session_key = @session_key`;
  return {
    ids: db.prepare<[], { session_id: string }>('SELECT session_id FROM checkpoints ORDER BY session_id'),
    find: db.prepare<[string], CheckpointRow>(
      `SELECT session_key, session_id, seq, revision, status, message_count, epoch
       FROM checkpoints
       WHERE session_id = ?`,
    ),
    pageAll: db.prepare<[string, number], PageRow>(page('status IS NOT NULL')),
    pageSome: db.prepare<[string, string, number], PageRow>(page(ONE_OF)),
    // The first condition is the partial index's own, which makes it usable.
    pageUnfinished: db.prepare<[string, string, number], PageRow>(page(`status <> 'finished' AND ${ONE_OF}`)),
    insert: db.prepare<[NewCheckpoint]>(
      `INSERT INTO checkpoints (session_id, seq, revision, status, message_count, epoch, saved_at)
       VALUES (@session_id, @seq, @revision, @status, @message_count, @epoch, @saved_at)`,
    ),
    // A status that is set, even to what it was, writes a page of its index.
    update: db.prepare<[NewCheckpoint & { session_key: number }]>(UPDATE('')),
    updateStatus: db.prepare<[NewCheckpoint & { session_key: number }]>(UPDATE('status = @status,')),
    markDeleted: db.prepare<[number]>(
      'UPDATE checkpoints SET status = NULL, revision = NULL, epoch = NULL WHERE session_key = ?',
    ),
    drop: db.prepare<[number]>('DELETE FROM checkpoints WHERE session_key = ?'),
  };
}
