import type { Fold } from './fold.js';

/** What an approval's log adds up to. */
export interface ApprovalState {
  /** `null` before the first save and after a delete. */
  row: { readonly createdAt: string; readonly body: string } | null;
  decision: string | null;
  /** Wall-clock milliseconds of the decision. */
  decidedAt: number | null;
}

/** Text: the body. */
export interface PutRecord {
  readonly k: 'put';
  readonly createdAt: string;
}

/** Text: the decision. */
export interface DecideRecord {
  readonly k: 'decide';
  readonly decidedAt: number;
}

export interface RemoveRecord {
  readonly k: 'remove';
}

type ApprovalLogRecord = PutRecord | DecideRecord | RemoveRecord;

interface SnapshotFields {
  readonly createdAt: string | null;
  readonly decidedAt: number | null;
}

export const approvalFold: Fold<ApprovalState> = {
  noun: 'approval',
  empty: () => ({ row: null, decision: null, decidedAt: null }),
  apply: (state, entry) => apply(state, entry.fields as unknown as ApprovalLogRecord, entry.texts),
  snapshot: ({ row, decision, decidedAt }) => {
    const fields: SnapshotFields = { createdAt: row?.createdAt ?? null, decidedAt };
    return { fields, texts: row ? [row.body, ...(decision === null ? [] : [decision])] : [] };
  },
  restore: ({ fields, texts }) => {
    const { createdAt, decidedAt } = fields as unknown as SnapshotFields;
    const [body, decision] = texts;
    const row = createdAt === null || body === undefined ? null : { createdAt, body };
    return { row, decision: decision ?? null, decidedAt };
  },
  size: ({ row, decision }) => Buffer.byteLength(row?.body ?? '') + Buffer.byteLength(decision ?? ''),
  revision: () => undefined,
  highest: () => 0,
};

function apply(
  state: ApprovalState,
  record: ApprovalLogRecord,
  texts: readonly string[],
): string | undefined {
  const [text] = texts;
  switch (record.k) {
    case 'put':
      if (text === undefined) return 'its text is missing';
      if (state.decision !== null) return 'it is decided';
      state.row = { createdAt: record.createdAt, body: text };
      return undefined;
    case 'decide':
      if (text === undefined) return 'its text is missing';
      if (state.row === null) return 'there is no approval';
      if (state.decision !== null) return 'it is decided';
      state.decision = text;
      state.decidedAt = record.decidedAt;
      return undefined;
    case 'remove':
      Object.assign(state, approvalFold.empty());
      return undefined;
    default:
      record satisfies never;
      return 'unknown kind of record';
  }
}
