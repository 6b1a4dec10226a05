import type { SaveRecord } from './checkpoint-records.js';
import type { HeldLease } from './held-lease.js';

/** A save without its messages. */
export interface SavedHead
  extends Pick<SaveRecord, 'seq' | 'revision' | 'status' | 'step' | 'savedAt' | 'count' | 'epoch'> {
  readonly text: string;
}

/** The message at an index since the save `from`. */
export interface Row {
  readonly from: number;
  readonly text: string;
}

/** A message that was at its index from the save `from` until just before the save `until`. */
export interface PastRow extends Row {
  readonly index: number;
  readonly until: number;
}

/**
 * What a checkpoint log adds up to. Every message is kept once, with the range of saves that see it; a save in the history is only a
 * head. `past` is in order of `until`, so what nobody sees any more is always at its front.
 */
export interface CheckpointState {
  /** Saves and deletes so far. */
  seq: number;
  head: SavedHead | null;
  rows: Row[];
  past: PastRow[];
  /** Kept saves, oldest first; the latest one is among them. */
  history: SavedHead[];
  lease: HeldLease | null;
  epoch: number;
  deletedAt: number | null;
  /** Bytes of all texts. */
  textBytes: number;
}

export function emptyCheckpoint(): CheckpointState {
  return {
    seq: 0,
    head: null,
    rows: [],
    past: [],
    history: [],
    lease: null,
    epoch: 0,
    deletedAt: null,
    textBytes: 0,
  };
}

/** Nothing is left that anybody could ask for. */
export function isEmpty(state: CheckpointState): boolean {
  return state.head === null && state.history.length === 0 && state.lease === null;
}

/** The kept saves with their messages, newest first. */
export function* savesNewestFirst(state: CheckpointState): Generator<{ head: SavedHead; rows: string[] }> {
  const rows = state.rows.map(({ text }) => text);
  let next = state.past.length - 1;
  for (let at = state.history.length - 1; at >= 0; at--) {
    const head = state.history[at]!;
    // Undo what later saves changed, latest first: what is left at an index is what this save saw.
    for (; next >= 0 && state.past[next]!.until > head.seq; next--) {
      const { index, text } = state.past[next]!;
      rows[index] = text;
    }
    yield { head, rows: rows.slice(0, head.count) };
  }
}

/** Moves the row at an index to the past: from the save `until` on it is not seen. */
export function endRow(state: CheckpointState, index: number, until: number): void {
  const { from, text } = state.rows[index]!;
  state.past.push({ index, from, until, text });
}

/** Drops what no kept save sees. */
export function dropUnseen(state: CheckpointState): void {
  const oldest = state.history[0] ?? state.head;
  const oldestSeq = oldest?.seq ?? Number.POSITIVE_INFINITY;
  const seen = state.past.findIndex(({ until }) => until > oldestSeq);
  const dropped = state.past.splice(0, seen < 0 ? state.past.length : seen);
  for (const { text } of dropped) state.textBytes -= Buffer.byteLength(text);
}

/** Keeps the newest saves only. The latest one stays readable even when no history is kept. */
export function trimHistory(state: CheckpointState, keep: number): void {
  const dropped = state.history.splice(0, Math.max(0, state.history.length - keep));
  for (const head of dropped) if (head !== state.head) state.textBytes -= Buffer.byteLength(head.text);
}
