import { type ChangedRow, changedRows, type LogWrite, type StoredRows } from '@lousho/core/contract';
import type { Item } from './attributes.js';
import { item } from './attributes.js';
import type { Key } from './call.js';
import { checkpointKey, rowName } from './item-names.js';
import { type Cut, chunksOfSave, type SaveState, type Writer, writerOf } from './save-state.js';
import { chunksOf } from './text-chunks.js';

export interface SavePlan {
  readonly after: SaveState;
  readonly writer: string;
  /** Written before the commit, and seen by nobody until then. */
  readonly puts: readonly Item[];
  /** Items of saves that the state before has dropped. */
  readonly deletes: readonly Key[];
  /** Cuts that no kept save needs any more once the plan is committed. */
  readonly settled: readonly Cut[];
}

export interface SaveRequest {
  readonly write: LogWrite;
  readonly before: SaveState | null;
  /** The messages before, where the save has to be compared with them. */
  readonly stored: StoredRows | null;
  readonly epoch: number | null;
  readonly writer: string;
  readonly historyLimit: number;
}

/** More writers than these since the last full write, and the messages are written anew: the state has to stay small. */
const MOST_WRITERS = 100;
const MOST_CUTS = 100;

/** Whether a save has to be written in full, so that the list of writers starts anew. */
export function isDueForFullWrite(state: SaveState): boolean {
  return state.fresh <= state.oldest && state.writers.length > MOST_WRITERS;
}

export function planSave(request: SaveRequest): SavePlan {
  const { write, before, stored, epoch, writer, historyLimit } = request;
  const seq = (before?.seq ?? 0) + 1;
  const changed = changedRows(write, stored);
  const head = chunksOf(write.head);
  const oldest = Math.max(before?.oldest ?? 1, seq - Math.max(1, historyLimit) + 1);
  const swept = before?.oldest ?? seq;
  const wroteAll = changed.length === write.messageCount;
  const fresh = before && !(wroteAll && before.fresh <= oldest) ? before.fresh : seq;
  const cuts = [...(before?.cuts ?? []), ...cutsOf(seq, changed, write.messageCount, before)];
  const large = [...(before?.large ?? []), ...(head.length > 1 ? [[seq, head.length] as const] : [])];
  const after: SaveState = {
    seq,
    writers: writersWith(before, [seq, writer], fresh <= oldest ? Math.min(fresh, swept) : 0),
    revision: write.revision ?? null,
    status: write.status,
    count: write.messageCount,
    epoch,
    savedAt: write.savedAt,
    oldest,
    swept,
    fresh,
    large: large.filter(([of]) => of >= swept),
    // What does not fit is found by the next prune.
    cuts: cuts.filter(([of]) => of > oldest).slice(-MOST_CUTS),
  };
  return {
    after,
    writer,
    puts: itemsOf(write, { seq, writer, changed, head }),
    deletes: before ? droppedSaves(write.sessionId, before) : [],
    settled: cuts.filter(([of]) => of <= oldest),
  };
}

function writersWith(before: SaveState | null, next: Writer, neededFrom: number): Writer[] {
  const writers = [...(before?.writers ?? [])];
  if (writers.at(-1)?.[1] !== next[1]) writers.push(next);
  const first = writers.findLastIndex(([since]) => since <= neededFrom);
  return writers.slice(Math.max(0, first));
}

/** The messages before that this save replaces or leaves out, as ranges. */
function cutsOf(seq: number, changed: readonly ChangedRow[], count: number, before: SaveState | null): Cut[] {
  const cuts: [number, number, number][] = [];
  const add = (from: number, to: number) => {
    const last = cuts.at(-1);
    if (last && last[2] === from) last[2] = to;
    else if (from < to) cuts.push([seq, from, to]);
  };
  const countBefore = before?.count ?? 0;
  for (const { index } of changed) if (index < countBefore) add(index, index + 1);
  add(count, countBefore);
  return cuts;
}

function itemsOf(
  write: LogWrite,
  {
    seq,
    writer,
    changed,
    head,
  }: { seq: number; writer: string; changed: readonly ChangedRow[]; head: string[] },
): Item[] {
  const { pk } = checkpointKey(write.sessionId);
  const row = (kind: 'message' | 'save', index: number, chunks: readonly string[]) =>
    chunks.map((t, chunk) =>
      item({
        pk,
        sk: rowName({ kind, index, seq, writer, chunk }),
        t,
        n: chunks.length,
        at: write.savedAt,
        ...(kind === 'save' && { mc: write.messageCount }),
      }),
    );
  return [
    ...changed.flatMap(({ index, text }) => row('message', index, chunksOf(text))),
    ...row('save', 0, head),
  ];
}

function droppedSaves(sessionId: string, state: SaveState): Key[] {
  const keys: Key[] = [];
  for (let seq = state.swept; seq < state.oldest; seq++) keys.push(...saveKeys(sessionId, state, seq));
  return keys;
}

/** The items of one save's head. */
export function saveKeys(sessionId: string, state: SaveState, seq: number): Key[] {
  const { pk } = checkpointKey(sessionId);
  const writer = writerOf(state, seq) ?? '';
  return Array.from({ length: chunksOfSave(state, seq) }, (_, chunk) => ({
    pk,
    sk: rowName({ kind: 'save', index: 0, seq, writer, chunk }),
  }));
}
