import {
  CheckpointCorruptError,
  type CheckpointStatus,
  type Clock,
  type LogHead,
  type LogPage,
  type LogRecord,
  type LogWrite,
} from '@lousho/core/contract';
import type { Deadline } from './deadline.js';
import type { IdIndex } from './id-index.js';
import type { Keys } from './keys.js';
import type { Nonces } from './nonces.js';
import type { Effect, RedisLink } from './redis-link.js';
import { DELETE, HISTORY, LOAD, READ_HEAD, SAVE } from './run-scripts.js';
import type { Script } from './script.js';
import { historyRecords, latestRecord, parseHead } from './stored-run.js';

export interface RunRecordsParts {
  readonly link: RedisLink;
  readonly keys: Keys;
  readonly index: IdIndex;
  readonly nonces: Nonces;
  readonly clock: Clock | undefined;
  readonly historyLimit: number;
  readonly ttlMs: number | undefined;
}

/** How many records of a listing are asked for at a time. */
const PAGE = 500;

/** Checkpoints, their history and their messages. */
export class RunRecords {
  readonly #parts: RunRecordsParts;

  constructor(parts: RunRecordsParts) {
    this.#parts = parts;
  }

  async save(write: LogWrite): Promise<boolean> {
    const { index, link, nonces } = this.#parts;
    const { sessionId } = write;
    const [deadline, nonce] = [link.deadline(), nonces.next()];
    // The first save of a run is known to need the registration, which saves asking.
    let registration = write.revision === 1 ? await this.#register(write, deadline) : '';
    let from = write.unchangedMessages;
    for (;;) {
      const args = this.#saveArgs(write, { nonce, registration, from });
      const [answer, closed] = (await this.#run(SAVE, sessionId, args, 'write', deadline)) as string[];
      switch (answer) {
        case 'saved':
          if (closed) index.close(sessionId, closed);
          return true;
        case 'fenced':
          return false;
        case 'register':
          registration = await this.#register(write, deadline);
          break;
        case 'all-rows':
          from = 0;
          break;
        default:
          throw new Error(`unexpected answer of a save: ${answer}`);
      }
    }
  }

  async load(sessionId: string): Promise<LogRecord | null> {
    const reply = (await this.#run(LOAD, sessionId, [], 'idle')) as (string | null)[] | null;
    return reply && latestRecord(sessionId, reply);
  }

  /** By id. Reads on until `limit` records that the page asks for are found: an id in the index says nothing by itself. */
  async heads({ statuses, after = '', limit = Number.POSITIVE_INFINITY }: LogPage): Promise<LogHead[]> {
    const isAboutOpen = statuses !== undefined && !statuses.includes('finished');
    const found: LogHead[] = [];
    for (let from = after; ; ) {
      const size = Math.min(PAGE, limit - found.length);
      const ids = await this.#parts.index.page(isAboutOpen ? 'open' : 'all', from, size);
      const heads = await Promise.all(ids.map((id) => this.#head(id)));
      heads.forEach((head, at) => {
        if (head?.isListed(statuses)) found.push(head.entry(ids[at] as string));
      });
      this.#sweep(ids, heads, isAboutOpen);
      const last = ids.at(-1);
      if (last === undefined || ids.length < size || found.length >= limit) return found;
      from = last;
    }
  }

  /** Those whose history alone is kept among them. */
  ids(): Promise<string[]> {
    return this.#parts.index.existing(async (id) => (await this.#head(id)) !== null);
  }

  async history(sessionId: string, limit: number): Promise<LogRecord[]> {
    const kept = Math.min(limit, this.#parts.historyLimit);
    if (kept === 0) return [];
    const reply = await this.#run(HISTORY, sessionId, [kept], 'idle');
    return historyRecords(sessionId, reply as [string[], (string | null)[], string[]]);
  }

  async delete(sessionId: string, keepHistory: boolean): Promise<void> {
    const { historyLimit, index, nonces } = this.#parts;
    const args = [nonces.next(), keepHistory && historyLimit > 0 ? '1' : '0'];
    const [act, registration] = (await this.#run(DELETE, sessionId, args, 'write')) as [string, string];
    if (act === 'close') index.close(sessionId, registration);
    if (act === 'drop') index.drop(sessionId, registration);
  }

  /** Whether the id, or a turn of it, is unfinished. */
  async isActive(sessionId: string): Promise<boolean> {
    const ids = await this.#parts.index.openUnder(sessionId);
    const heads = await Promise.all(ids.map((id) => this.#head(id)));
    return heads.some((head) => head?.isOpen);
  }

  async #head(sessionId: string): Promise<StoredHead | null> {
    const reply = (await this.#run(READ_HEAD, sessionId, [], 'idle')) as [string, string] | null;
    return reply && new StoredHead(...reply);
  }

  #register({ sessionId, status }: LogWrite, deadline: Deadline): Promise<string> {
    const { index, ttlMs } = this.#parts;
    // Runs that the server forgets do not tell the index.
    if (ttlMs !== undefined) index.tidy(async (id) => (await this.#head(id)) !== null);
    return index.register(sessionId, status !== 'finished', deadline);
  }

  #saveArgs(
    write: LogWrite,
    { nonce, registration, from }: { nonce: string; registration: string; from: number },
  ): (string | number)[] {
    const { clock, historyLimit, ttlMs } = this.#parts;
    const rows: string[] = [];
    for (let index = from; index < write.messageCount; index++) rows.push(write.row(index));
    return [
      clock?.now() ?? '',
      // As JSON: two owners that differ only in a lone surrogate would be sent as the same bytes.
      write.owner === undefined ? '' : JSON.stringify(write.owner),
      nonce,
      write.revision ?? '',
      write.status,
      write.messageCount,
      write.head,
      // The latest head is no history entry of its own: it is kept also where no history is.
      Math.max(1, historyLimit),
      ttlMs ?? '',
      registration,
      from,
      ...rows,
    ];
  }

  #sweep(ids: readonly string[], heads: readonly (StoredHead | null)[], isAboutOpen: boolean): void {
    const strays = ids.filter((_, at) => (isAboutOpen ? !heads[at]?.isOpen : heads[at] === null));
    this.#parts.index.sweep(strays, isAboutOpen ? 'close' : 'drop');
  }

  #run(
    script: Script,
    sessionId: string,
    args: readonly (string | number)[],
    effect: Effect,
    deadline?: Deadline,
  ): Promise<unknown> {
    const { keys, link } = this.#parts;
    return link.run({ script, keys: keys.run(sessionId), args, effect, ...(deadline && { deadline }) });
  }
}

/** A latest head as a listing reads it. */
class StoredHead {
  constructor(
    /** Empty for a deleted run whose history is kept. */
    readonly status: string,
    readonly stored: string,
  ) {}

  get isOpen(): boolean {
    return this.status !== '' && this.status !== 'finished';
  }

  isListed(statuses: readonly CheckpointStatus[] | undefined): boolean {
    return this.status !== '' && (!statuses || statuses.some((status) => status === this.status));
  }

  entry(sessionId: string): LogHead {
    try {
      return { sessionId, head: parseHead(sessionId, this.stored).text };
    } catch (error) {
      if (error instanceof CheckpointCorruptError) return { sessionId, fault: error };
      throw error;
    }
  }
}
