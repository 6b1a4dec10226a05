import { randomUUID } from 'node:crypto';
import type { SessionRow, SessionTable } from '@lousho/core/contract';
import type { Database } from './database.js';
import { NOW_MS } from './server-time.js';

export class PostgresSessionTable implements SessionTable {
  constructor(
    readonly database: Database,
    readonly schema: string,
  ) {}

  async get(id: string): Promise<SessionRow | null> {
    const [row] = await this.database.run(
      `SELECT revision::text AS revision, messages FROM ${this.schema}.sessions WHERE id = $1`,
      [id],
    );
    if (!row) return null;
    return { revision: Number(row.revision), messages: row.messages === null ? null : String(row.messages) };
  }

  async putIf(id: string, expected: number, messages: string): Promise<boolean> {
    // With a mark of its own: sent again after a lost answer, a commit knows itself.
    const rows = await this.database.run(
      `INSERT INTO ${this.schema}.sessions AS s (id, revision, messages, saved_at, commit_id)
       SELECT $1, 1, $3, ${NOW_MS}, $4
       WHERE $2::bigint = 0 OR EXISTS (SELECT FROM ${this.schema}.sessions WHERE id = $1)
       ON CONFLICT (id) DO UPDATE
       SET revision = CASE WHEN s.commit_id = excluded.commit_id THEN s.revision ELSE s.revision + 1 END,
           messages = excluded.messages, saved_at = excluded.saved_at, commit_id = excluded.commit_id
       WHERE CASE WHEN s.messages IS NULL THEN 0 ELSE s.revision END = $2::bigint OR s.commit_id = excluded.commit_id
       RETURNING s.id`,
      [id, expected, messages, randomUUID()],
    );
    return rows.length === 1;
  }

  async ids(): Promise<readonly string[]> {
    const rows = await this.database.run(
      `SELECT id FROM ${this.schema}.sessions WHERE messages IS NOT NULL ORDER BY id`,
    );
    return rows.map((row) => String(row.id));
  }

  async delete(id: string): Promise<void> {
    // The row stays, without its text, so that the revision goes on.
    await this.database.run(
      `UPDATE ${this.schema}.sessions SET messages = NULL, commit_id = NULL WHERE id = $1`,
      [id],
    );
  }
}
