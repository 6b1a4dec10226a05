import { CheckpointCorruptError, type LogRecord } from '@lousho/core/contract';

/** A kept head: of which save, and how many messages that one shows. */
export interface KeptHead {
  readonly seq: number;
  readonly count: number;
  readonly savedAt: number;
  readonly text: string;
}

/** A message and the save since which it is there; superseded ones also have the save from which it is not. */
interface StoredRow {
  readonly since: number;
  readonly until: number;
  readonly text: string;
}

type Bulk = string | null;

export function parseHead(sessionId: string, stored: Bulk | undefined): KeptHead {
  const match = /^(\d+) (\d+) (\d+)\n/.exec(stored ?? '');
  if (!match || !stored) throw corrupt(sessionId, 'its head is missing or not readable');
  const [prefix, seq, count, savedAt] = match;
  return {
    seq: Number(seq),
    count: Number(count),
    savedAt: Number(savedAt),
    text: stored.slice(prefix.length),
  };
}

/** Of the reply of a load: the head, and the message at each index. */
export function latestRecord(sessionId: string, [stored, ...rows]: readonly Bulk[]): LogRecord {
  const head = parseHead(sessionId, stored);
  const live = rows.map((row) => parseRow(row));
  return toRecord(sessionId, head, (index) => [live[index]]);
}

/** Of the reply of a history: the kept heads, the rows by index, and pairs of a superseded row and its end. */
export function historyRecords(
  sessionId: string,
  [heads, rows, old]: readonly [readonly string[], readonly Bulk[], readonly string[]],
): LogRecord[] {
  const live = rows.map((row) => parseRow(row));
  const superseded = supersededRows(old);
  return heads.map((stored) => {
    const candidates = (index: number) => [live[index], ...(superseded.get(index) ?? [])];
    return toRecord(sessionId, parseHead(sessionId, stored), candidates);
  });
}

function toRecord(
  sessionId: string,
  head: KeptHead,
  candidates: (index: number) => readonly (StoredRow | undefined)[],
): LogRecord {
  const rows = Array.from({ length: head.count }, (_, index) => {
    const row = candidates(index).find((one) => one && one.since <= head.seq && head.seq < one.until);
    if (!row) throw corrupt(sessionId, `expected ${head.count} messages, got none at ${index}`);
    return row.text;
  });
  return { head: head.text, rows, savedAt: head.savedAt };
}

function supersededRows(old: readonly string[]): Map<number, StoredRow[]> {
  const byIndex = new Map<number, StoredRow[]>();
  for (let at = 0; at + 1 < old.length; at += 2) {
    const [stored, until] = [old[at] as string, Number(old[at + 1])];
    const gap = stored.indexOf(' ');
    const row = parseRow(stored.slice(gap + 1), until);
    const index = Number(stored.slice(0, gap));
    if (row) byIndex.set(index, [...(byIndex.get(index) ?? []), row]);
  }
  return byIndex;
}

function parseRow(stored: Bulk | undefined, until = Number.POSITIVE_INFINITY): StoredRow | undefined {
  const gap = stored?.indexOf(' ') ?? -1;
  if (!stored || gap < 1) return undefined;
  return { since: Number(stored.slice(0, gap)), until, text: stored.slice(gap + 1) };
}

function corrupt(sessionId: string, detail: string): CheckpointCorruptError {
  return new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: ${detail}`);
}
