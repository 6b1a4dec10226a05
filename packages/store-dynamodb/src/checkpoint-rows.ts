import { CheckpointCorruptError } from '@lousho/core/contract';
import { type Item, number, text } from './attributes.js';
import type { Call } from './call.js';
import { checkpointKey, HEAD, messageFrom, parseRowName, type RowName } from './item-names.js';
import { hasSave, type SaveState } from './save-state.js';

/** A stored row put together: a message, or the head of a save. */
export interface Row extends Omit<RowName, 'chunk'> {
  readonly text: string;
  readonly savedAt: number;
  readonly messageCount: number;
}

/** The whole rows among the items, of saves that count; a row of which a piece is missing is left out. */
export function rowsOf(items: readonly Item[], state: SaveState): Row[] {
  const pieces = new Map<string, { name: RowName; items: Item[] }>();
  for (const item of items) {
    const name = parseRowName(text(item, 'sk') ?? '');
    if (!name || !hasSave(state, name.seq, name.writer)) continue;
    const key = `${name.kind}${name.index}#${name.seq}`;
    const known = pieces.get(key) ?? { name, items: [] };
    known.items[name.chunk] = item;
    pieces.set(key, known);
  }
  return [...pieces.values()].flatMap(({ name, items: parts }) => {
    const [first] = parts;
    if (!first || parts.filter(Boolean).length !== number(first, 'n')) return [];
    return [
      {
        kind: name.kind,
        index: name.index,
        seq: name.seq,
        writer: name.writer,
        text: parts.map((part) => text(part, 't') ?? '').join(''),
        savedAt: number(first, 'at') ?? 0,
        messageCount: number(first, 'mc') ?? 0,
      },
    ];
  });
}

/** The messages as the save of that number sees them: at each place the newest that is not younger. */
export function messagesSeen(rows: readonly Row[], seq: number, count: number): (string | undefined)[] {
  const seen: (Row | undefined)[] = new Array(count).fill(undefined);
  for (const row of rows) {
    if (row.kind !== 'message' || row.index >= count || row.seq > seq) continue;
    const known = seen[row.index];
    if (!known || known.seq < row.seq) seen[row.index] = row;
  }
  return seen.map((row) => row?.text);
}

/** The head item and all messages, the head first: what it names was written before it. */
export async function readHeadAndMessages(call: Call, sessionId: string): Promise<Item[]> {
  return collect(call, sessionId, HEAD, 'm$');
}

export async function readMessagesFrom(call: Call, sessionId: string, index: number): Promise<Item[]> {
  return collect(call, sessionId, messageFrom(index), 'm$');
}

export async function readSaves(call: Call, sessionId: string): Promise<Item[]> {
  return collect(call, sessionId, 's#', 's$');
}

/** The names of the rows between two names. */
export async function rowNames(call: Call, sessionId: string, from: string, to: string): Promise<string[]> {
  const items = await collect(call, sessionId, from, to, true);
  return items.map((item) => text(item, 'sk') ?? '');
}

export function incomplete(sessionId: string, detail: string): CheckpointCorruptError {
  return new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: ${detail}`);
}

async function collect(
  call: Call,
  sessionId: string,
  from: string,
  to: string,
  namesOnly = false,
): Promise<Item[]> {
  const { pk } = checkpointKey(sessionId);
  const items: Item[] = [];
  const pages = call.query({
    ConsistentRead: true,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
    ExpressionAttributeValues: { ':pk': { S: pk }, ':from': { S: from }, ':to': { S: to } },
    ...(namesOnly && { ProjectionExpression: '#sk' }),
  });
  for await (const item of pages) items.push(item);
  return items;
}
