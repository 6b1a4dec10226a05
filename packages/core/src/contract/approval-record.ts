import type { ApprovalDecision } from './approval-decision.js';
import type { ApprovalRecord, ApprovalStore, ExecutionSnapshot, PendingApproval } from './approval-store.js';
import * as checks from './checks.js';
import { decode, encode } from './codec.js';
import { expected } from './errors.js';
import { assertSnapshotFormat } from './format.js';
import type { Gate } from './gate.js';
import { assertApprovalId, isStoreKey } from './ids.js';

/** An approval as a bundled store keeps it: encoded text and the fields that it orders and decides by. */
export interface ApprovalRow {
  readonly id: string;
  /** ISO instant. */
  readonly createdAt: string;
  /** `{ approval, snapshot }`, encoded. */
  readonly body: string;
  /** The decision, encoded, once there is one. */
  readonly decision: string | null;
}

/** What a bundled store implements to keep approvals. */
export interface ApprovalTable {
  /** Inserts, or replaces an undecided one; leaves a decided one as it is. */
  put(row: Omit<ApprovalRow, 'decision'>): Promise<void>;
  get(id: string): Promise<ApprovalRow | null>;
  /** The undecided ones, by `createdAt`, then id. */
  undecided(): Promise<readonly ApprovalRow[]>;
  /** All of them, in code-point order. */
  ids(): Promise<readonly string[]>;
  /** Sets the decision if there is none, in one atomic step. */
  decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'>;
  delete(id: string): Promise<void>;
}

/** The approval store over a table of rows, with the checks and the codec that all bundled stores share. */
export class TableApprovalStore implements ApprovalStore {
  constructor(
    readonly table: ApprovalTable,
    readonly gate: Gate,
  ) {}

  async save(approval: PendingApproval, snapshot: ExecutionSnapshot): Promise<void> {
    checks.record('approval', approval);
    checks.record('snapshot', snapshot);
    assertApprovalId(approval.id);
    if (Number.isNaN(Date.parse(approval.createdAt))) {
      throw expected('approval.createdAt', 'an ISO instant', approval.createdAt);
    }
    const body = encode({ approval, snapshot }, 'record');
    const row = { id: approval.id, createdAt: approval.createdAt, body };
    await this.gate.run('approvals.save', () => this.table.put(row));
  }

  async load(id: string): Promise<ApprovalRecord | null> {
    if (!isStoreKey(id)) return null;
    const row = await this.gate.run('approvals.load', () => this.table.get(id));
    const record = row && decodeRow(row);
    if (record) assertSnapshotFormat(id, record.snapshot);
    return record;
  }

  async list(): Promise<readonly PendingApproval[]> {
    const rows = await this.gate.run('approvals.list', () => this.table.undecided());
    return rows.map((row) => decodeRow(row).approval);
  }

  ids(): Promise<readonly string[]> {
    return this.gate.run('approvals.ids', () => this.table.ids());
  }

  async decide(id: string, decision: ApprovalDecision): Promise<'decided' | 'already-decided' | 'not-found'> {
    checks.record('decision', decision);
    if (typeof decision.approved !== 'boolean') {
      throw expected('decision.approved', 'a boolean', decision.approved);
    }
    if (!isStoreKey(id)) return 'not-found';
    const text = encode(decision, 'decision');
    return this.gate.run('approvals.decide', () => this.table.decide(id, text));
  }

  async delete(id: string): Promise<void> {
    if (!isStoreKey(id)) return;
    await this.gate.run('approvals.delete', () => this.table.delete(id));
  }
}

function decodeRow(row: ApprovalRow): ApprovalRecord {
  const body = decode(row.body) as Omit<ApprovalRecord, 'decision'>;
  return row.decision === null ? body : { ...body, decision: decode(row.decision) as ApprovalDecision };
}
