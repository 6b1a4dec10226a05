import { type CheckpointStatus, changedRows, type LogRecord, type LogWrite } from '@lousho/core/contract';
import { MessageRows } from './message-rows.js';

/** A head as it was saved. A history entry is a head that was kept: it shares the message rows. */
export interface SavedHead {
  /** Counts this id's saves; not the revision, which a caller may leave out. */
  readonly save: number;
  readonly owner: string | undefined;
  readonly revision: number | undefined;
  readonly status: CheckpointStatus;
  readonly head: string;
  readonly messageCount: number;
  readonly savedAt: number;
}

/** What is kept under one id: the latest head, the kept ones and the rows that they share. */
export class SavedRun {
  readonly rows = new MessageRows();
  #saves = 0;
  #latest: SavedHead | null = null;
  /** Oldest first; the newest one is the latest head, unless that was deleted. */
  #kept: readonly SavedHead[] = [];

  get latest(): SavedHead | null {
    return this.#latest;
  }

  get isEmpty(): boolean {
    return this.#latest === null && this.#kept.length === 0;
  }

  /** Whether this very save, or a later one by the same owner, was applied before: a client re-sent it after a lost reply. */
  hasApplied({ owner, revision }: LogWrite): boolean {
    const latest = this.#latest;
    if (owner === undefined || revision === undefined || latest?.revision === undefined) return false;
    return latest.owner === owner && revision <= latest.revision;
  }

  add(write: LogWrite, historyLimit: number): void {
    const before = this.#latest;
    // Encodes what was vouched for in vain, and so may refuse: before anything changes.
    const changed = changedRows(write, before && this.#stored(before));
    const save = this.#saves + 1;
    this.rows.write(save, changed);
    if (before) this.rows.cut(save, write.messageCount, before.messageCount);
    const { owner, revision, status, head, messageCount, savedAt } = write;
    this.#saves = save;
    this.#latest = { save, owner, revision, status, head, messageCount, savedAt };
    this.#keep(historyLimit === 0 ? [] : [...this.#kept, this.#latest].slice(-historyLimit));
  }

  /** Newest first. */
  history(limit: number): LogRecord[] {
    return this.#kept
      .slice(-limit)
      .reverse()
      .map((head) => this.record(head));
  }

  record({ head, messageCount, save, savedAt }: SavedHead): LogRecord {
    return {
      head,
      rows: Array.from({ length: messageCount }, (_, index) => this.rows.textAt(index, save)),
      savedAt,
    };
  }

  /** Drops the latest head; its kept copy stays in the history. */
  dropLatest(): void {
    const latest = this.#latest;
    if (latest) this.rows.cut(this.#saves + 1, 0, latest.messageCount);
    this.#latest = null;
    this.#keep(this.#kept);
  }

  dropHistoryBefore(savedAt: number): void {
    this.#keep(this.#kept.filter((head) => head.savedAt >= savedAt));
  }

  #keep(kept: readonly SavedHead[]): void {
    this.#kept = kept;
    const oldest = kept[0] ?? this.#latest;
    this.rows.forget(oldest?.save ?? this.#saves + 1);
  }

  #stored({ revision, messageCount, save }: SavedHead) {
    return { revision, count: messageCount, row: (index: number) => this.rows.textAt(index, save) };
  }
}
