import { type ApprovalRow, type ApprovalTable, type Clock, isoTime } from '@lousho/core/contract';
import type { Connection } from './connection.js';

interface StoredApproval {
  readonly id: string;
  readonly created_at: number;
  readonly body: string;
  readonly decision: string | null;
}

export class SqliteApprovalTable implements ApprovalTable {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(
    readonly connection: Connection,
    readonly clock: Clock,
  ) {
    this.#sql = prepare(connection.db);
  }

  put(row: Omit<ApprovalRow, 'decision'>): Promise<void> {
    // As a number: texts of one instant may differ in their time zone and their digits.
    const createdAt = Date.parse(row.createdAt);
    return this.connection.write(() => {
      this.#sql.put.run(row.id, createdAt, row.body);
    });
  }

  get(id: string): Promise<ApprovalRow | null> {
    return this.connection.read(() => {
      const row = this.#sql.get.get(id);
      return row ? toRow(row) : null;
    });
  }

  undecided(): Promise<readonly ApprovalRow[]> {
    return this.connection.read(() => this.#sql.undecided.all().map(toRow));
  }

  ids(): Promise<readonly string[]> {
    return this.connection.read(() => this.#sql.ids.all().map(({ id }) => id));
  }

  decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    return this.connection.write(() => {
      const { changes } = this.#sql.decide.run(decision, this.clock.now(), id);
      if (changes === 1) return 'decided';
      return this.#sql.get.get(id) ? 'already-decided' : 'not-found';
    });
  }

  delete(id: string): Promise<void> {
    return this.connection.write(() => {
      this.#sql.delete.run(id);
    });
  }
}

function toRow(row: StoredApproval): ApprovalRow {
  return { id: row.id, createdAt: isoTime(row.created_at), body: row.body, decision: row.decision };
}

function prepare(db: Connection['db']) {
  const COLUMNS = 'id, created_at, body, decision';
  return {
    put: db.prepare<[string, number, string]>(
      `INSERT INTO approvals (id, created_at, body)
       VALUES (?, ?, ?)
       ON CONFLICT (id) DO UPDATE
       SET created_at = excluded.created_at, body = excluded.body
       WHERE decision IS NULL`,
    ),
    get: db.prepare<[string], StoredApproval>(`SELECT ${COLUMNS} FROM approvals WHERE id = ?`),
    undecided: db.prepare<[], StoredApproval>(
      `SELECT ${COLUMNS}
       FROM approvals
       WHERE decision IS NULL
       ORDER BY created_at, id`,
    ),
    ids: db.prepare<[], { id: string }>('SELECT id FROM approvals ORDER BY id'),
    decide: db.prepare<[string, number, string]>(
      'UPDATE approvals SET decision = ?, decided_at = ? WHERE id = ? AND decision IS NULL',
    ),
    delete: db.prepare<[string]>('DELETE FROM approvals WHERE id = ?'),
  };
}
