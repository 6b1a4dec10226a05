import type { SessionRow, SessionTable } from '@lousho/core/contract';
import type { KvParts } from './kv-parts.js';
import { assertValueSize } from './kv-values.js';

interface StoredTranscript extends SessionRow {
  /** Wall-clock milliseconds. */
  readonly savedAt: number;
}

/** Transcripts, one key each. A deleted one leaves its revision behind. */
export class KvSessionTable implements SessionTable {
  constructor(readonly parts: KvParts) {}

  get(id: string): Promise<StoredTranscript | null> {
    return this.#read(id);
  }

  putIf(id: string, expected: number, messages: string): Promise<boolean> {
    const savedAt = this.parts.settings.clock.now();
    assertValueSize(`session ${id}`, JSON.stringify(messages));
    return this.#serially(id, async () => {
      const row = await this.#read(id);
      const current = row && row.messages !== null ? row.revision : 0;
      if (current !== expected) return false;
      await this.#write(id, { revision: (row?.revision ?? 0) + 1, messages, savedAt });
      return true;
    });
  }

  async delete(id: string): Promise<void> {
    await this.forget(id);
  }

  /** `savedBefore`: only if its last commit is older. */
  forget(id: string, savedBefore = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.#serially(id, async () => {
      const row = await this.#read(id);
      if (!row || row.messages === null || row.savedAt >= savedBefore) return false;
      await this.#write(id, { ...row, messages: null });
      return true;
    });
  }

  async ids(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const id of this.names()) if ((await this.#read(id))?.messages != null) ids.push(id);
    return ids;
  }

  /** Deleted ones among them. */
  async *names(): AsyncGenerator<string, void, undefined> {
    const { keys, values } = this.parts;
    for await (const { name } of values.keys(keys.sessions)) yield name.slice(keys.sessions.length);
  }

  async #read(id: string): Promise<StoredTranscript | null> {
    const text = await this.parts.values.get(this.parts.keys.session(id));
    return text === null ? null : (JSON.parse(text) as StoredTranscript);
  }

  #write(id: string, row: StoredTranscript): Promise<void> {
    return this.parts.values.put(this.parts.keys.session(id), JSON.stringify(row));
  }

  #serially<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.parts.queues.run(this.parts.keys.session(id), work);
  }
}
