import {
  type ApprovalRow,
  type ApprovalTable,
  type Clock,
  compareIds,
  isoTime,
  SDKError,
} from '@lousho/core/contract';
import { type Item, number, text } from './attributes.js';
import type { Call } from './call.js';
import { approvalKey, sortableInstant } from './item-names.js';
import { readText, textKeys, writeText } from './large-text.js';
import { keysUnder } from './listing.js';
import { scannedIds } from './scanned-ids.js';

export interface TableParts {
  readonly begin: (length?: 'long') => Call;
  readonly clock: Clock;
  readonly later: (work: () => Promise<void>) => void;
}

const MOST_ATTEMPTS = 5;
const LISTED_AT_ONCE = 50;

/** Approvals: one record each, which a decision changes once. */
export class DynamoDBApprovalTable implements ApprovalTable {
  constructor(readonly parts: TableParts) {}

  async put(row: Omit<ApprovalRow, 'decision'>): Promise<void> {
    const call = this.parts.begin();
    const key = approvalKey(row.id);
    const createdAt = Date.parse(row.createdAt);
    const before = await call.get(key);
    if (before && isDecided(before)) return;
    const body = await writeText(call, key, 'body', row.body, this.parts.clock.now());
    const change = {
      set: { ...body.set, createdAt, l: 'u', k: `${sortableInstant(createdAt)}#${row.id}` },
      remove: body.remove,
    };
    // Decided in between: what was written for nothing is found by a prune.
    if ((await call.update(key, change, { decidedAt: null })) === false) return;
    const unused = before ? textKeys(before, 'body') : [];
    if (unused.length > 0) this.parts.later(() => this.parts.begin().write([], unused));
  }

  async get(id: string): Promise<ApprovalRow | null> {
    const call = this.parts.begin();
    for (let attempts = 1; ; attempts++) {
      const record = await call.get(approvalKey(id));
      if (!record) return null;
      const row = await toRow(call, id, record);
      if (row) return row;
      if (attempts >= MOST_ATTEMPTS) throw incomplete(id);
    }
  }

  async undecided(): Promise<readonly ApprovalRow[]> {
    const call = this.parts.begin('long');
    const found: { createdAt: number; row: ApprovalRow }[] = [];
    let ids: string[] = [];
    const flush = async () => {
      const records = await call.getAll(ids.map(approvalKey));
      for (const record of records.filter((candidate) => !isDecided(candidate))) {
        const id = (text(record, 'pk') ?? '').slice('a#'.length);
        const row = (await toRow(call, id, record)) ?? (await this.get(id));
        if (row && row.decision === null) found.push({ createdAt: number(record, 'createdAt') ?? 0, row });
      }
      ids = [];
    };
    for await (const key of keysUnder(call, 'u')) {
      ids.push(key.slice(key.indexOf('#') + 1));
      if (ids.length >= LISTED_AT_ONCE) await flush();
    }
    await flush();
    return found
      .sort((a, b) => a.createdAt - b.createdAt || compareIds(a.row.id, b.row.id))
      .map(({ row }) => row);
  }

  ids(): Promise<readonly string[]> {
    return scannedIds(this.parts.begin('long'), 'a#', () => true);
  }

  async decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    const call = this.parts.begin();
    const key = approvalKey(id);
    const before = await call.get(key);
    if (!before) return 'not-found';
    if (isDecided(before)) return 'already-decided';
    const decidedAt = this.parts.clock.now();
    const fields = await writeText(call, key, 'decision', decision, decidedAt);
    // Names this very attempt: a request that was sent twice recognises its own first one.
    const by = crypto.randomUUID();
    const change = { set: { ...fields.set, decidedAt, decidedBy: by }, remove: ['l', 'k'] };
    const createdAt = number(before, 'createdAt') ?? 0;
    if ((await call.update(key, change, { createdAt, decidedAt: null })) !== false) return 'decided';
    const now = await call.get(key);
    if (!now) return 'not-found';
    if (text(now, 'decidedBy') === by) return 'decided';
    // Undecided still: the question was asked anew in between.
    return isDecided(now) ? 'already-decided' : this.decide(id, decision);
  }

  async delete(id: string): Promise<void> {
    const call = this.parts.begin();
    const key = approvalKey(id);
    const before = await call.get(key);
    if (!before) return;
    await call.delete(key);
    await call.write([], [...textKeys(before, 'body'), ...textKeys(before, 'decision')]);
  }
}

function isDecided(record: Item): boolean {
  return number(record, 'decidedAt') !== undefined;
}

async function toRow(call: Call, id: string, record: Item): Promise<ApprovalRow | undefined> {
  const [body, decision] = await Promise.all([
    readText(call, record, 'body'),
    readText(call, record, 'decision'),
  ]);
  if (typeof body !== 'string' || decision === undefined) return undefined;
  return { id, createdAt: isoTime(number(record, 'createdAt') ?? 0), body, decision };
}

function incomplete(id: string): SDKError {
  return new SDKError('LOUSHO_STORAGE_FAILED', `approval ${id}: a part of its record is missing`, {
    retryable: false,
  });
}
