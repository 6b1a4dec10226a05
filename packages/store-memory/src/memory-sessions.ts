import { type Clock, compareIds, type SessionRow, type SessionTable } from '@lousho/core/contract';

/** Transcripts in memory. A deleted one leaves its revision behind, so that no revision is used twice. */
export class MemorySessions implements SessionTable {
  readonly #rows = new Map<string, StoredTranscript>();

  constructor(readonly clock: Clock) {}

  async get(id: string): Promise<SessionRow | null> {
    return this.#rows.get(id) ?? null;
  }

  async putIf(id: string, expected: number, messages: string): Promise<boolean> {
    const row = this.#rows.get(id);
    const current = row && row.messages !== null ? row.revision : 0;
    if (current !== expected) return false;
    this.#rows.set(id, { revision: (row?.revision ?? 0) + 1, messages, savedAt: this.clock.now() });
    return true;
  }

  async ids(): Promise<readonly string[]> {
    const kept = [...this.#rows].filter(([, { messages }]) => messages !== null);
    return kept.map(([id]) => id).sort(compareIds);
  }

  async delete(id: string): Promise<void> {
    const row = this.#rows.get(id);
    if (row) this.#rows.set(id, { ...row, messages: null });
  }

  /** Removes what was saved before `savedAt` and has no turn under way. */
  prune(savedAt: number, underWay: ReadonlySet<string>): number {
    const old = [...this.#rows].filter(
      ([id, row]) => row.messages !== null && row.savedAt < savedAt && !underWay.has(id),
    );
    for (const [id, row] of old) this.#rows.set(id, { ...row, messages: null });
    return old.length;
  }
}

interface StoredTranscript extends SessionRow {
  /** Wall-clock milliseconds. */
  readonly savedAt: number;
}
