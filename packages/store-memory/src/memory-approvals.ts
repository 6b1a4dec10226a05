import { type ApprovalRow, type ApprovalTable, type Clock, compareIds } from '@lousho/core/contract';

export class MemoryApprovals implements ApprovalTable {
  readonly #rows = new Map<string, StoredApproval>();

  constructor(readonly clock: Clock) {}

  async put(row: Omit<ApprovalRow, 'decision'>): Promise<void> {
    if (this.#rows.get(row.id)?.decidedAt !== undefined) return;
    this.#rows.set(row.id, { ...row, decision: null, decidedAt: undefined });
  }

  async get(id: string): Promise<ApprovalRow | null> {
    return this.#rows.get(id) ?? null;
  }

  async undecided(): Promise<readonly ApprovalRow[]> {
    return [...this.#rows.values()].filter(({ decidedAt }) => decidedAt === undefined).sort(byAge);
  }

  async ids(): Promise<readonly string[]> {
    return [...this.#rows.keys()].sort(compareIds);
  }

  async decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    const row = this.#rows.get(id);
    if (!row) return 'not-found';
    if (row.decidedAt !== undefined) return 'already-decided';
    this.#rows.set(id, { ...row, decision, decidedAt: this.clock.now() });
    return 'decided';
  }

  async delete(id: string): Promise<void> {
    this.#rows.delete(id);
  }

  /** Removes what was decided before `decidedAt` and is not awaited by a run. */
  prune(decidedAt: number, awaited: ReadonlySet<string>): number {
    const old = [...this.#rows.values()].filter(
      (row) => row.decidedAt !== undefined && row.decidedAt < decidedAt && !awaited.has(row.id),
    );
    for (const { id } of old) this.#rows.delete(id);
    return old.length;
  }
}

interface StoredApproval extends ApprovalRow {
  /** Wall-clock milliseconds. */
  readonly decidedAt: number | undefined;
}

/** By the instant, not by its text: `…00Z` is earlier than `…00.500Z`. */
function byAge(a: ApprovalRow, b: ApprovalRow): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || compareIds(a.id, b.id);
}
