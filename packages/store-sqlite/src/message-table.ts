import type { Database } from 'better-sqlite3';

export interface MessageRow {
  readonly idx: number;
  readonly since: number;
  readonly until: number | null;
  readonly body: string;
}

/**
 * The messages of all saves: written once. A message is live while no later save has another one at its index; a superseded one
 * stays as long as a kept save sees it.
 */
export class MessageTable {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#sql = prepare(db);
  }

  liveText(sessionKey: number, index: number): string | undefined {
    return this.#sql.liveText.get(sessionKey, index);
  }

  live(sessionKey: number): MessageRow[] {
    return this.#sql.live.all(sessionKey);
  }

  /** By index, those that at least one of the saves `oldest..newest` sees. */
  seenBetween(sessionKey: number, oldest: number, newest: number): MessageRow[] {
    return this.#sql.seenBetween.all(sessionKey, newest, oldest);
  }

  add(sessionKey: number, index: number, since: number, body: string): void {
    this.#sql.add.run(sessionKey, index, since, body);
  }

  supersede(sessionKey: number, index: number, until: number): void {
    this.#sql.supersede.run(until, sessionKey, index);
  }

  supersedeFrom(sessionKey: number, index: number, until: number): void {
    this.#sql.supersedeFrom.run(until, sessionKey, index);
  }

  /** Removes what no save from `oldest` on sees. */
  dropUnseen(sessionKey: number, oldest: number): void {
    this.#sql.dropUnseen.run(sessionKey, oldest);
  }

  dropAll(sessionKey: number): void {
    this.#sql.dropAll.run(sessionKey);
  }
}

/** The messages that the save `seq` sees, of rows that are sorted by index. */
export function seenBy(rows: readonly MessageRow[], seq: number): MessageRow[] {
  return rows.filter((row) => row.since <= seq && (row.until === null || seq < row.until));
}

function prepare(db: Database) {
  return {
    liveText: db
      .prepare<[number, number], string>(
        'SELECT body FROM messages WHERE session_key = ? AND idx = ? AND until IS NULL',
      )
      .pluck(),
    live: db.prepare<[number], MessageRow>(
      `SELECT idx, since, until, body
       FROM messages
       WHERE session_key = ? AND until IS NULL
       ORDER BY idx`,
    ),
    seenBetween: db.prepare<[number, number, number], MessageRow>(
      `SELECT idx, since, until, body
       FROM messages
       WHERE session_key = ? AND since <= ? AND (until IS NULL OR until > ?)
       ORDER BY idx, since`,
    ),
    add: db.prepare<[number, number, number, string]>(
      'INSERT INTO messages (session_key, idx, since, body) VALUES (?, ?, ?, ?)',
    ),
    supersede: db.prepare<[number, number, number]>(
      'UPDATE messages SET until = ? WHERE session_key = ? AND idx = ? AND until IS NULL',
    ),
    supersedeFrom: db.prepare<[number, number, number]>(
      'UPDATE messages SET until = ? WHERE session_key = ? AND idx >= ? AND until IS NULL',
    ),
    dropUnseen: db.prepare<[number, number]>('DELETE FROM messages WHERE session_key = ? AND until <= ?'),
    dropAll: db.prepare<[number]>('DELETE FROM messages WHERE session_key = ?'),
  };
}
