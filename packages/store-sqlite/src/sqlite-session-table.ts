import type { Clock, SessionRow, SessionTable } from '@lousho/core/contract';
import type { Connection } from './connection.js';

export class SqliteSessionTable implements SessionTable {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(
    readonly connection: Connection,
    readonly clock: Clock,
  ) {
    this.#sql = prepare(connection.db);
  }

  get(id: string): Promise<SessionRow | null> {
    return this.connection.read(() => this.#sql.get.get(id) ?? null);
  }

  putIf(id: string, expected: number, messages: string): Promise<boolean> {
    return this.connection.write(() => {
      const row = this.#sql.revision.get(id);
      const current = row && row.isDeleted === 0 ? row.revision : 0;
      if (current !== expected) return false;
      this.#sql.put.run(id, (row?.revision ?? 0) + 1, messages, this.clock.now());
      return true;
    });
  }

  ids(): Promise<readonly string[]> {
    return this.connection.read(() => this.#sql.ids.all().map(({ id }) => id));
  }

  delete(id: string): Promise<void> {
    return this.connection.write(() => {
      this.#sql.delete.run(id);
    });
  }
}

function prepare(db: Connection['db']) {
  return {
    get: db.prepare<[string], SessionRow>('SELECT revision, messages FROM sessions WHERE id = ?'),
    revision: db.prepare<[string], { revision: number; isDeleted: 0 | 1 }>(
      'SELECT revision, messages IS NULL AS isDeleted FROM sessions WHERE id = ?',
    ),
    put: db.prepare<[string, number, string, number]>(
      'INSERT OR REPLACE INTO sessions (id, revision, messages, saved_at) VALUES (?, ?, ?, ?)',
    ),
    ids: db.prepare<[], { id: string }>('SELECT id FROM sessions WHERE messages IS NOT NULL ORDER BY id'),
    // The row stays, without its text, so that the revision goes on.
    delete: db.prepare<[string]>('UPDATE sessions SET messages = NULL WHERE id = ?'),
  };
}
