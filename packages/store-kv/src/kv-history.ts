import { decode, type HistoryEntry } from '@lousho/core/contract';
import type { KvKeys } from './kv-keys.js';
import type { KvValues } from './kv-values.js';

/** Says in the entry's own name what a repeated save is recognised by; 0 for what the save did not have. */
export interface EntryFacts {
  readonly epoch: number;
  readonly revision: number;
}

/** As many as a Worker has connections. */
const READ_AT_ONCE = 6;
const MOST_ATTEMPTS = 3;

/** The kept saves of an id: an index of their names, and one key for each. */
export class KvHistory {
  constructor(
    readonly values: KvValues,
    readonly keys: KvKeys,
  ) {}

  /** Oldest first. An index that was cut short counts as none, so that the next save starts anew. */
  async index(sessionId: string): Promise<readonly string[]> {
    const text = await this.values.get(this.keys.history(sessionId));
    if (text === null) return [];
    try {
      const ids: unknown = JSON.parse(text);
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
    } catch {
      return [];
    }
  }

  /** The entry first, then the index, then the entries that it dropped: a crash in between leaves an unlisted entry at worst. */
  async add(
    sessionId: string,
    index: readonly string[],
    entry: { readonly id: string; readonly text: string; readonly savedAt: number; readonly limit: number },
  ): Promise<void> {
    await this.values.put(this.keys.entry(sessionId, entry.id), entry.text);
    const ids = [...index, entry.id];
    const metadata = { savedAt: entry.savedAt };
    await this.values.put(this.keys.history(sessionId), JSON.stringify(ids.slice(-entry.limit)), {
      metadata,
    });
    for (const id of ids.slice(0, -entry.limit)) await this.values.delete(this.keys.entry(sessionId, id));
  }

  /** Newest first. An entry that has not arrived at this location, or has expired, is passed over. */
  async read(sessionId: string, limit: number): Promise<HistoryEntry[]> {
    if (limit === 0) return [];
    let index = await this.index(sessionId);
    for (let attempts = 1; ; attempts++) {
      const ids = index.slice(-limit).reverse();
      const entries = (await this.#entries(sessionId, ids)).filter((entry) => entry !== undefined);
      if (entries.length === ids.length || attempts === MOST_ATTEMPTS) return entries;
      // A save may have dropped it since the index was read: then there is a new index.
      const now = await this.index(sessionId);
      if (now.join() === index.join()) return entries;
      index = now;
    }
  }

  /** The unlisted entries too, where the namespace can list. */
  async drop(sessionId: string): Promise<void> {
    const keys = new Set((await this.index(sessionId)).map((id) => this.keys.entry(sessionId, id)));
    for await (const { name } of this.values.keys(this.keys.entries(sessionId))) keys.add(name);
    await this.values.delete(this.keys.history(sessionId));
    for (const key of keys) await this.values.delete(key);
  }

  async #entries(sessionId: string, ids: readonly string[]): Promise<(HistoryEntry | undefined)[]> {
    const entries: (HistoryEntry | undefined)[] = [];
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const some = ids
        .slice(at, at + READ_AT_ONCE)
        .map((id) => this.values.get(this.keys.entry(sessionId, id)));
      for (const text of await Promise.all(some)) entries.push(text === null ? undefined : readEntry(text));
    }
    return entries;
  }
}

export function newEntryId({ epoch, revision }: EntryFacts): string {
  return `${epoch}-${revision}-${crypto.randomUUID().slice(24)}`;
}

export function entryFacts(id: string | undefined): EntryFacts {
  const [epoch, revision] = (id ?? '').split('-').map(Number);
  return { epoch: epoch || 0, revision: revision || 0 };
}

function readEntry(text: string): HistoryEntry | undefined {
  try {
    const entry = decode(text) as HistoryEntry;
    return typeof entry?.savedAt === 'string' && typeof entry.checkpoint === 'object' ? entry : undefined;
  } catch {
    return undefined;
  }
}
