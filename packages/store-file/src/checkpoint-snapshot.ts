import { type CheckpointState, emptyCheckpoint, type PastRow, type SavedHead } from './checkpoint-state.js';
import type { HeldLease } from './held-lease.js';
import type { Entry } from './record-line.js';

type HeadFields = Omit<SavedHead, 'text'>;

/** Texts: the heads, the rows, the past rows. */
interface SnapshotFields {
  readonly seq: number;
  readonly epoch: number;
  readonly deletedAt: number | null;
  readonly lease: HeldLease | null;
  readonly heads: readonly HeadFields[];
  /** The last of the heads is the latest save. */
  readonly hasHead: boolean;
  /** All but the last of the heads, or all of them, are the history. */
  readonly historyCount: number;
  readonly rows: readonly number[];
  readonly past: readonly (readonly [index: number, from: number, until: number])[];
}

export function snapshotCheckpoint(state: CheckpointState): Entry<SnapshotFields> {
  const { seq, epoch, deletedAt, lease, head, history, rows, past } = state;
  const heads = head && history.at(-1) !== head ? [...history, head] : history;
  const fields: SnapshotFields = {
    seq,
    epoch,
    deletedAt,
    lease,
    heads: heads.map(({ text: _, ...rest }) => rest),
    hasHead: head !== null,
    historyCount: history.length,
    rows: rows.map(({ from }) => from),
    past: past.map(({ index, from, until }) => [index, from, until]),
  };
  return { fields, texts: [...heads, ...rows, ...past].map(({ text }) => text) };
}

export function restoreCheckpoint(entry: Entry<Record<string, unknown>>): CheckpointState {
  const { heads, hasHead, historyCount, rows, past, ...rest } = entry.fields as unknown as SnapshotFields;
  let next = 0;
  const text = () => entry.texts[next++] ?? '';
  const saved = heads.map((head): SavedHead => ({ ...head, text: text() }));
  return {
    ...emptyCheckpoint(),
    seq: rest.seq,
    epoch: rest.epoch,
    deletedAt: rest.deletedAt,
    lease: rest.lease,
    head: hasHead ? (saved.at(-1) ?? null) : null,
    history: saved.slice(0, historyCount),
    rows: rows.map((from) => ({ from, text: text() })),
    past: past.map(([index, from, until]): PastRow => ({ index, from, until, text: text() })),
    textBytes: entry.texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0),
  };
}
