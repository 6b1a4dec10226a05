import { type ApprovalRow, type ApprovalTable, compareIds } from '@lousho/core/contract';
import { type ReferenceParts, step } from './reference-parts.js';

/** Approvals as rows; core's `TableApprovalStore` checks and encodes. */
export class ReferenceApprovals implements ApprovalTable {
  constructor(readonly parts: ReferenceParts) {}

  put(row: Omit<ApprovalRow, 'decision'>): Promise<void> {
    return step(this.parts, 'approvals.save', () => this.putNow(row));
  }

  get(id: string): Promise<ApprovalRow | null> {
    return step(this.parts, 'approvals.load', () => this.getNow(id));
  }

  undecided(): Promise<readonly ApprovalRow[]> {
    return step(this.parts, 'approvals.list', () => this.undecidedNow());
  }

  ids(): Promise<readonly string[]> {
    return step(this.parts, 'approvals.ids', () => this.idsNow());
  }

  decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    return step(this.parts, 'approvals.decide', () => this.decideNow(id, decision));
  }

  delete(id: string): Promise<void> {
    return step(this.parts, 'approvals.delete', () => this.deleteNow(id));
  }

  putNow({ id, createdAt, body }: Omit<ApprovalRow, 'decision'>): void {
    const { approvals } = this.parts.storage;
    if (approvals.get(id)?.decision) return;
    approvals.set(id, { createdAt, body, decision: null, decidedAt: 0 });
  }

  getNow(id: string): ApprovalRow | null {
    const stored = this.parts.storage.approvals.get(id);
    return stored ? { id, ...stored } : null;
  }

  undecidedNow(): readonly ApprovalRow[] {
    return [...this.parts.storage.approvals]
      .map(([id, stored]) => ({ id, ...stored }))
      .filter(({ decision }) => decision === null)
      .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || compareIds(a.id, b.id));
  }

  idsNow(): readonly string[] {
    return [...this.parts.storage.approvals.keys()].sort(compareIds);
  }

  decideNow(id: string, decision: string): 'decided' | 'already-decided' | 'not-found' {
    const { approvals } = this.parts.storage;
    const stored = approvals.get(id);
    if (!stored) return 'not-found';
    if (stored.decision !== null) return 'already-decided';
    approvals.set(id, { ...stored, decision, decidedAt: this.parts.clock.now() });
    return 'decided';
  }

  deleteNow(id: string): void {
    this.parts.storage.approvals.delete(id);
  }
}
