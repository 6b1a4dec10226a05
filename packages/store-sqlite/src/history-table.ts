import type { Database } from 'better-sqlite3';

export interface HistoryRow {
  readonly seq: number;
  readonly message_count: number;
  readonly saved_at: number;
  readonly head: string;
}

/** The heads of the kept saves, the latest one included. */
export class HistoryTable {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#sql = prepare(db);
  }

  find(sessionKey: number, seq: number): HistoryRow | undefined {
    return this.#sql.find.get(sessionKey, seq);
  }

  newest(sessionKey: number, limit: number): HistoryRow[] {
    return this.#sql.newest.all(sessionKey, limit);
  }

  add(sessionKey: number, row: HistoryRow): void {
    this.#sql.add.run(sessionKey, row.seq, row.message_count, row.saved_at, row.head);
  }

  dropBefore(sessionKey: number, seq: number): void {
    this.#sql.dropBefore.run(sessionKey, seq);
  }

  dropAll(sessionKey: number): void {
    this.#sql.dropAll.run(sessionKey);
  }
}

function prepare(db: Database) {
  return {
    find: db.prepare<[number, number], HistoryRow>(
      'SELECT seq, message_count, saved_at, head FROM history WHERE session_key = ? AND seq = ?',
    ),
    newest: db.prepare<[number, number], HistoryRow>(
      `SELECT seq, message_count, saved_at, head
       FROM history
       WHERE session_key = ?
       ORDER BY seq DESC
       LIMIT ?`,
    ),
    add: db.prepare<[number, number, number, number, string]>(
      'INSERT INTO history (session_key, seq, message_count, saved_at, head) VALUES (?, ?, ?, ?, ?)',
    ),
    dropBefore: db.prepare<[number, number]>('DELETE FROM history WHERE session_key = ? AND seq < ?'),
    dropAll: db.prepare<[number]>('DELETE FROM history WHERE session_key = ?'),
  };
}
