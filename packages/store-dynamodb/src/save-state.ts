import type { CheckpointStatus } from '@lousho/core/contract';

/**
 * Where an id's saves stand: the one value that a save replaces, in one conditional write. It names every row that counts, so that
 * a row of a writer that was too late is never seen, wherever it was written.
 */
export interface SaveState {
  /** Counts the saves that were stored under the id, and its deletes. Only grows. */
  readonly seq: number;
  /** Who made the saves from `since` on, up to the next entry. */
  readonly writers: readonly Writer[];
  readonly revision: number | null;
  /** `null`: deleted, its history is kept. */
  readonly status: CheckpointStatus | null;
  readonly count: number;
  /** The epoch of the lease under which it was saved; `null` for an unfenced save. */
  readonly epoch: number | null;
  /** Wall-clock milliseconds. */
  readonly savedAt: number;
  /** The oldest kept save. */
  readonly oldest: number;
  /** Saves before this one have no items any more. */
  readonly swept: number;
  /** A save that wrote all its messages: none older is seen by it or a later one. */
  readonly fresh: number;
  /** Kept saves whose head takes more than one item. */
  readonly large: readonly (readonly [seq: number, chunks: number])[];
  /** Messages `from` up to, without, `to` that are older than `seq` are seen by no save from `seq` on. */
  readonly cuts: readonly Cut[];
}

export type Writer = readonly [since: number, writer: string];
export type Cut = readonly [seq: number, from: number, to: number];

export function parseState(text: string): SaveState {
  return JSON.parse(text) as SaveState;
}

export function writerOf({ writers }: SaveState, seq: number): string | undefined {
  return writers.findLast(([since]) => since <= seq)?.[1];
}

/** Whether that writer's save of that number is one of the id's. */
export function hasSave(state: SaveState | null, seq: number, writer: string): boolean {
  return state !== null && seq <= state.seq && writerOf(state, seq) === writer;
}

export function chunksOfSave({ large }: SaveState, seq: number): number {
  return large.find(([of]) => of === seq)?.[1] ?? 1;
}

/** A deleted id: nothing is seen, and its numbers go on. */
export function buried(state: SaveState | null): SaveState {
  const seq = (state?.seq ?? 0) + 1;
  return {
    seq,
    writers: [],
    revision: null,
    status: null,
    count: 0,
    epoch: null,
    savedAt: state?.savedAt ?? 0,
    oldest: seq + 1,
    swept: seq + 1,
    fresh: seq + 1,
    large: [],
    cuts: [],
  };
}

/** The latest checkpoint is gone, its kept saves stay. */
export function withoutLatest(state: SaveState): SaveState {
  return { ...state, revision: null, status: null, epoch: null };
}

export function hasHistory(state: SaveState): boolean {
  return state.oldest <= state.seq;
}
