import {
  CheckpointCorruptError,
  changedRows,
  type LogHead,
  type LogPage,
  type LogRecord,
  type LogWrite,
  type StoredRows,
} from '@lousho/core/contract';
import type { Database } from 'better-sqlite3';
import { type CheckpointRow, CheckpointTable } from './checkpoint-table.js';
import { type HistoryRow, HistoryTable } from './history-table.js';
import { type MessageRow, MessageTable, seenBy } from './message-table.js';
import { isCorrupt } from './sqlite-errors.js';

/** Checkpoints, their history and their messages together. Every method runs inside a transaction of the caller's. */
export class StoredCheckpoints {
  readonly #checkpoints: CheckpointTable;
  readonly #history: HistoryTable;
  readonly #messages: MessageTable;

  constructor(
    db: Database,
    readonly historyLimit: number,
  ) {
    this.#checkpoints = new CheckpointTable(db);
    this.#history = new HistoryTable(db);
    this.#messages = new MessageTable(db);
  }

  /** Stores the save; `epoch` is that of its lease. A repeat under the same lease adds nothing. */
  save(write: LogWrite, epoch: number | null): void {
    const before = this.#checkpoints.find(write.sessionId);
    if (before && isRepeat(write, epoch, before)) return;
    const seq = (before?.seq ?? 0) + 1;
    const after = {
      session_id: write.sessionId,
      seq,
      revision: write.revision ?? null,
      status: write.status,
      message_count: write.messageCount,
      epoch,
      saved_at: write.savedAt,
    };
    const changed = changedRows(write, before ? this.#storedRows(before) : null);
    const sessionKey = before?.session_key ?? this.#checkpoints.insert(after);
    if (before) this.#checkpoints.update(after, before);
    const countBefore = before?.message_count ?? 0;
    for (const { index, text } of changed) {
      if (index < countBefore) this.#messages.supersede(sessionKey, index, seq);
      this.#messages.add(sessionKey, index, seq, text);
    }
    if (write.messageCount < countBefore) this.#messages.supersedeFrom(sessionKey, write.messageCount, seq);
    const { messageCount: message_count, savedAt: saved_at, head } = write;
    this.#history.add(sessionKey, { seq, message_count, saved_at, head });
    this.#trim(sessionKey, seq);
  }

  read(sessionId: string): LogRecord | null {
    return this.#readable(sessionId, () => {
      const row = this.#checkpoints.find(sessionId);
      if (!row || row.status === null) return null;
      const head = this.#history.find(row.session_key, row.seq);
      if (!head) throw new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: its head is missing`);
      return toRecord(sessionId, head, this.#messages.live(row.session_key));
    });
  }

  heads(page: LogPage): LogHead[] {
    return this.#checkpoints.page(page).map(({ session_id: sessionId, session_key, seq }) => {
      try {
        const row = this.#readable(sessionId, () => this.#history.find(session_key, seq));
        if (row) return { sessionId, head: row.head };
        throw new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: its head is missing`);
      } catch (error) {
        if (error instanceof CheckpointCorruptError) return { sessionId, fault: error };
        throw error;
      }
    });
  }

  ids(): string[] {
    return this.#checkpoints.ids();
  }

  history(sessionId: string, limit: number): LogRecord[] {
    const kept = Math.min(limit, this.historyLimit);
    return this.#readable(sessionId, () => {
      const row = this.#checkpoints.find(sessionId);
      if (!row || kept === 0) return [];
      const heads = this.#history.newest(row.session_key, kept);
      const [newest, oldest] = [heads[0], heads.at(-1)];
      if (!newest || !oldest) return [];
      const messages = this.#messages.seenBetween(row.session_key, oldest.seq, newest.seq);
      return heads.map((head) => toRecord(sessionId, head, seenBy(messages, head.seq)));
    });
  }

  delete(sessionId: string, keepHistory: boolean): void {
    const row = this.#checkpoints.find(sessionId);
    if (!row) return;
    if (keepHistory && this.historyLimit > 0) {
      this.#checkpoints.markDeleted(row.session_key);
      return;
    }
    this.#messages.dropAll(row.session_key);
    this.#history.dropAll(row.session_key);
    this.#checkpoints.drop(row.session_key);
  }

  /** What the next save is compared with; a row that is missing equals nothing and so is written anew. */
  #storedRows(row: CheckpointRow): StoredRows {
    return {
      revision: row.revision ?? undefined,
      count: row.message_count,
      row: (index) => this.#messages.liveText(row.session_key, index) ?? '',
    };
  }

  #trim(sessionKey: number, seq: number): void {
    // The latest head is no history entry of its own: it is kept also where no history is.
    const oldest = seq - Math.max(1, this.historyLimit) + 1;
    this.#history.dropBefore(sessionKey, oldest);
    this.#messages.dropUnseen(sessionKey, oldest);
  }

  /** A damaged page that holds rows of one id is that id's fault, so that the others stay readable. */
  #readable<T>(sessionId: string, work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (!isCorrupt(cause)) throw cause;
      throw new CheckpointCorruptError(
        sessionId,
        `checkpoint ${sessionId}: a page of its rows is not readable`,
        { cause },
      );
    }
  }
}

/**
 * An epoch is given to one owner once, so the same epoch means the same lease; a revision that is not newer than the stored one was
 * sent before.
 */
function isRepeat(write: LogWrite, epoch: number | null, before: CheckpointRow): boolean {
  return (
    epoch !== null &&
    write.revision !== undefined &&
    before.status !== null &&
    before.epoch === epoch &&
    before.revision !== null &&
    write.revision <= before.revision
  );
}

function toRecord(sessionId: string, head: HistoryRow, messages: readonly MessageRow[]): LogRecord {
  const rows = messages.map((message) => message.body);
  const gap = messages.findIndex((message, at) => message.idx !== at);
  if (gap >= 0 || rows.length !== head.message_count) {
    throw new CheckpointCorruptError(
      sessionId,
      `checkpoint ${sessionId}: expected ${head.message_count} messages, got ${rows.length}${gap >= 0 ? ` and none at ${gap}` : ''}`,
    );
  }
  return { head: head.head, rows, savedAt: head.saved_at };
}
