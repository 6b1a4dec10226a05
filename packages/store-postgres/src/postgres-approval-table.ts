import { randomUUID } from 'node:crypto';
import { type ApprovalRow, type ApprovalTable, isoTime } from '@lousho/core/contract';
import type { Row } from './attempt.js';
import type { Database } from './database.js';
import { NOW_MS } from './server-time.js';

const COLUMNS = 'id, created_at::text AS created_at, body, decision';

export class PostgresApprovalTable implements ApprovalTable {
  constructor(
    readonly database: Database,
    readonly schema: string,
  ) {}

  async put(row: Omit<ApprovalRow, 'decision'>): Promise<void> {
    await this.database.run(
      `INSERT INTO ${this.schema}.approvals AS a (id, created_at, body)
       VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE
       SET created_at = excluded.created_at, body = excluded.body
       WHERE a.decision IS NULL`,
      // As a number: texts of one instant may differ in their time zone and their digits.
      [row.id, Date.parse(row.createdAt), row.body],
    );
  }

  async get(id: string): Promise<ApprovalRow | null> {
    const [row] = await this.database.run(`SELECT ${COLUMNS} FROM ${this.schema}.approvals WHERE id = $1`, [
      id,
    ]);
    return row ? toRow(row) : null;
  }

  async undecided(): Promise<readonly ApprovalRow[]> {
    const rows = await this.database.run(
      `SELECT ${COLUMNS}
       FROM ${this.schema}.approvals a
       WHERE decision IS NULL
       ORDER BY a.created_at, a.id`,
    );
    return rows.map(toRow);
  }

  async ids(): Promise<readonly string[]> {
    const rows = await this.database.run(`SELECT id FROM ${this.schema}.approvals ORDER BY id`);
    return rows.map((row) => String(row.id));
  }

  async decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    // With a mark of its own: sent again after a lost answer, a decision knows itself.
    const [row] = await this.database.run(
      `WITH decided AS (
         UPDATE ${this.schema}.approvals a
         SET decision = $2, decided_at = ${NOW_MS}, decision_id = $3
         WHERE a.id = $1 AND (a.decision IS NULL OR a.decision_id = $3)
         RETURNING a.id
       )
       SELECT EXISTS (SELECT FROM decided) AS decided, EXISTS (SELECT FROM ${this.schema}.approvals WHERE id = $1) AS found`,
      [id, decision, randomUUID()],
    );
    if (row?.decided === true) return 'decided';
    return row?.found === true ? 'already-decided' : 'not-found';
  }

  async delete(id: string): Promise<void> {
    await this.database.run(`DELETE FROM ${this.schema}.approvals WHERE id = $1`, [id]);
  }
}

function toRow(row: Row): ApprovalRow {
  return {
    id: String(row.id),
    createdAt: isoTime(Number(row.created_at)),
    body: String(row.body),
    decision: row.decision === null ? null : String(row.decision),
  };
}
