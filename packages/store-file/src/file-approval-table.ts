import { type ApprovalRow, type ApprovalTable, type Clock, compareIds } from '@lousho/core/contract';
import type { ApprovalState, DecideRecord, PutRecord, RemoveRecord } from './approval-fold.js';
import { idsWith, listIds } from './list-ids.js';
import type { Decision, LogCollection } from './log-collection.js';
import { DamagedLogError } from './log-errors.js';

export interface FileApprovalTableParts {
  readonly logs: LogCollection<ApprovalState>;
  readonly clock: Clock;
}

export class FileApprovalTable implements ApprovalTable {
  constructor(readonly parts: FileApprovalTableParts) {}

  async put({ id, createdAt, body }: Omit<ApprovalRow, 'decision'>): Promise<void> {
    await this.parts.logs.transact(id, 'create', ({ decision }) => {
      const record: PutRecord = { k: 'put', createdAt };
      return { answer: undefined, ...(decision === null && { append: { fields: record, texts: [body] } }) };
    });
  }

  async get(id: string): Promise<ApprovalRow | null> {
    return (await this.parts.logs.read(id, (state) => rowOf(id, state))) ?? null;
  }

  async undecided(): Promise<readonly ApprovalRow[]> {
    const rows: ApprovalRow[] = [];
    for await (const id of listIds(this.parts.logs)) {
      const row = await this.#glance(id);
      if (row?.decision === null) rows.push(row);
    }
    return rows.sort((a, b) => compareInstants(a.createdAt, b.createdAt) || compareIds(a.id, b.id));
  }

  ids(): Promise<readonly string[]> {
    return idsWith(this.parts.logs, ({ row }) => row !== null);
  }

  async decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    type Answer = 'decided' | 'already-decided' | 'not-found';
    const answer = await this.parts.logs.transact(id, 'write', (state): Decision<Answer> => {
      if (state.row === null) return { answer: 'not-found' };
      if (state.decision !== null) return { answer: 'already-decided' };
      const record: DecideRecord = { k: 'decide', decidedAt: this.parts.clock.now() };
      return { answer: 'decided', append: { fields: record, texts: [decision] } };
    });
    return answer ?? 'not-found';
  }

  async delete(id: string): Promise<void> {
    const record: RemoveRecord = { k: 'remove' };
    try {
      const isKnown = await this.parts.logs.transact(id, 'write', ({ row }) => ({
        answer: true,
        ...(row && { append: { fields: record, texts: [] } }),
      }));
      // Behind the delete that is answered now; what fails here is left to prune().
      if (isKnown) this.parts.logs.parts.background.start(() => this.purge(id));
    } catch (error) {
      if (!(error instanceof DamagedLogError)) throw error;
      if (!(await this.parts.logs.discard(id))) await this.delete(id);
    }
  }

  purge(
    id: string,
    isPurgeable: (state: ApprovalState) => boolean = ({ row }) => row === null,
  ): Promise<boolean> {
    return this.parts.logs.purge(id, isPurgeable);
  }

  async #glance(id: string): Promise<ApprovalRow | null> {
    try {
      return (await this.parts.logs.glance(id, (state) => rowOf(id, state))) ?? null;
    } catch (error) {
      // One unreadable record does not hide the others; loading it says what is wrong with it.
      if (error instanceof DamagedLogError) return null;
      throw error;
    }
  }
}

function rowOf(id: string, { row, decision }: ApprovalState): ApprovalRow | null {
  return row && { id, ...row, decision };
}

function compareInstants(a: string, b: string): number {
  return Date.parse(a) - Date.parse(b);
}
