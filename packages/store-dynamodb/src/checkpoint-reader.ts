import { CheckpointCorruptError, type LogHead, type LogPage, type LogRecord } from '@lousho/core/contract';
import { type Item, text } from './attributes.js';
import type { Call } from './call.js';
import {
  incomplete,
  messagesSeen,
  type Row,
  readHeadAndMessages,
  readMessagesFrom,
  readSaves,
  rowsOf,
} from './checkpoint-rows.js';
import { type Head, headOf, readHead } from './head-item.js';
import { checkpointKey, HEAD } from './item-names.js';
import { idsUnder, type ListedAs } from './listing.js';
import { saveKeys } from './plan-save.js';
import { hasHistory, type SaveState } from './save-state.js';

/** How often a read starts anew because saves dropped what it was about to read. */
const MOST_ATTEMPTS = 5;
const LISTED_AT_ONCE = 50;

/** Reads that see one save each, whatever is saved meanwhile. */
export class CheckpointReader {
  constructor(readonly historyLimit: number) {}

  async read(call: Call, sessionId: string): Promise<LogRecord | null> {
    return this.#settled(call, sessionId, async () => {
      const items = await readHeadAndMessages(call, sessionId);
      const { state } = headOf(items.find((item) => text(item, 'sk') === HEAD));
      if (!state || state.status === null) return { state, answer: null };
      const saves = rowsOf(await call.getAll(saveKeys(sessionId, state, state.seq)), state);
      const [save] = saves;
      return { state, answer: save ? record(sessionId, save, rowsOf(items, state)) : missingHead(sessionId) };
    });
  }

  /** Newest first. */
  async history(call: Call, sessionId: string, limit: number): Promise<LogRecord[]> {
    const kept = Math.min(limit, this.historyLimit);
    if (kept === 0) return [];
    const records = await this.#settled<LogRecord[]>(call, sessionId, async () => {
      const { state } = await readHead(call, sessionId);
      if (!state || !hasHistory(state)) return { state, answer: [] };
      const items = await Promise.all([readMessagesFrom(call, sessionId, 0), readSaves(call, sessionId)]);
      const [messages, saves] = items.map((found) => rowsOf(found, state)) as [Row[], Row[]];
      const heads = saves
        .filter(({ seq }) => seq >= state.oldest)
        .sort((a, b) => b.seq - a.seq)
        .slice(0, kept);
      const wanted = Math.min(kept, state.seq - state.oldest + 1);
      if (heads.length !== wanted) return { state, answer: missingHead(sessionId) };
      const answers = heads.map((head) => record(sessionId, head, messages));
      const fault = answers.find((answer) => answer instanceof Error);
      return { state, answer: fault instanceof Error ? fault : (answers as LogRecord[]) };
    });
    return records ?? [];
  }

  /** The index may lag behind: what it names is read again, and what is found is listed as it is. */
  async heads(
    call: Call,
    { statuses, after = '', limit = Number.POSITIVE_INFINITY }: LogPage,
  ): Promise<LogHead[]> {
    const found: LogHead[] = [];
    let ids: string[] = [];
    const flush = async () => {
      const heads = await this.#headsOf(call, ids, statuses);
      found.push(...heads);
      ids = [];
    };
    for await (const sessionId of idsUnder(call, listedAs(statuses), after)) {
      ids.push(sessionId);
      if (ids.length >= Math.min(LISTED_AT_ONCE, limit - found.length)) await flush();
      if (found.length >= limit) break;
    }
    if (ids.length > 0) await flush();
    return found;
  }

  async #headsOf(call: Call, ids: readonly string[], statuses: LogPage['statuses']): Promise<LogHead[]> {
    const items = await call.getAll(ids.map(checkpointKey));
    const heads = new Map(items.map((item) => [text(item, 'pk'), headOf(item)]));
    const wanted = ids.flatMap((sessionId) => {
      const state = heads.get(checkpointKey(sessionId).pk)?.state;
      const isWanted = state?.status && (!statuses || statuses.includes(state.status));
      return isWanted && state ? [{ sessionId, state }] : [];
    });
    const saves = await call.getAll(
      wanted.flatMap(({ sessionId, state }) => saveKeys(sessionId, state, state.seq)),
    );
    const found = await Promise.all(
      wanted.map(async ({ sessionId, state }) => {
        const { pk } = checkpointKey(sessionId);
        const own = saves.filter((item) => text(item, 'pk') === pk);
        const [save] = rowsOf(own, state);
        return save ? [{ sessionId, head: save.text }] : this.#oneHead(call, sessionId);
      }),
    );
    return found.flat();
  }

  /** The latest checkpoint without its messages, encoded; `null` when there is none. */
  async latestHead(call: Call, sessionId: string): Promise<string | null> {
    return this.#settled<string>(call, sessionId, async () => {
      const { state } = await readHead(call, sessionId);
      if (!state || state.status === null) return { state, answer: null };
      const [save] = rowsOf(await call.getAll(saveKeys(sessionId, state, state.seq)), state);
      return { state, answer: save?.text ?? missingHead(sessionId) };
    });
  }

  /** Nothing when it was deleted since it was listed. */
  async #oneHead(call: Call, sessionId: string): Promise<LogHead[]> {
    try {
      const head = await this.latestHead(call, sessionId);
      return head === null ? [] : [{ sessionId, head }];
    } catch (error) {
      if (error instanceof CheckpointCorruptError) return [{ sessionId, fault: error }];
      throw error;
    }
  }

  /** A read that found something missing starts anew if a save came in between; otherwise it is missing indeed. */
  async #settled<T>(
    call: Call,
    sessionId: string,
    attempt: () => Promise<{ state: SaveState | null; answer: T | Error | null }>,
  ): Promise<T | null> {
    for (let attempts = 1; ; attempts++) {
      const { state, answer } = await attempt();
      if (!(answer instanceof Error)) return answer;
      const now: Head = await readHead(call, sessionId);
      const hasMoved = now.state?.seq !== state?.seq || now.state?.oldest !== state?.oldest;
      if (!hasMoved || attempts >= MOST_ATTEMPTS) throw answer;
    }
  }
}

function record(sessionId: string, save: Row, messages: readonly Row[]): LogRecord | Error {
  const rows = messagesSeen(messages, save.seq, save.messageCount);
  const gap = rows.indexOf(undefined);
  if (gap >= 0) {
    return incomplete(sessionId, `expected ${save.messageCount} messages, got none at ${gap}`);
  }
  return { head: save.text, rows: rows as string[], savedAt: save.savedAt };
}

function missingHead(sessionId: string): Error {
  return incomplete(sessionId, 'its head is missing');
}

function listedAs(statuses: LogPage['statuses']): readonly ListedAs[] {
  if (!statuses) return ['p', 'f'];
  const isFinished = statuses.includes('finished');
  const isUnfinished = statuses.some((status) => status !== 'finished');
  return [...(isUnfinished ? (['p'] as const) : []), ...(isFinished ? (['f'] as const) : [])];
}

/** The messages that a save is compared with. */
export async function storedTexts(
  call: Call,
  sessionId: string,
  state: SaveState,
  from: number,
): Promise<Map<number, string>> {
  const items: Item[] = await readMessagesFrom(call, sessionId, from);
  const seen = messagesSeen(rowsOf(items, state), state.seq, state.count);
  return new Map(seen.flatMap((row, index) => (row === undefined ? [] : [[index, row] as const])));
}
