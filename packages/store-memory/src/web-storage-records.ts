import {
  type Checkpoint,
  type CheckpointListing,
  type CheckpointStore,
  type Clock,
  compareIds,
  corruptCheckpoint,
  decode,
  decodeCheckpoint,
  encode,
  type HistoryEntry,
  isoTime,
  isStoreKey,
  isUnreadable,
  type ListFilter,
  type StoreCapabilities,
  statusOf,
} from '@lousho/core/contract';
import { applyAll, keysOf, type WebStorage, type WebStorageChange } from './web-storage.js';

export interface WebStorageRecordsParts {
  readonly storage: WebStorage;
  readonly prefix: string;
  readonly historyLimit: number;
  readonly clock: Clock;
  readonly capabilities: StoreCapabilities;
}

/** Whole records in Web Storage: one value per checkpoint, one per history (oldest entry first). Arguments are checked before. */
export class WebStorageRecords implements CheckpointStore {
  constructor(readonly parts: WebStorageRecordsParts) {}

  get capabilities(): StoreCapabilities {
    return this.parts.capabilities;
  }

  async save(sessionId: string, checkpoint: Checkpoint): Promise<void> {
    const text = encode(checkpoint, 'checkpoint');
    const changes: WebStorageChange[] = [[this.#checkpointKey(sessionId), text]];
    if (this.parts.historyLimit > 0) {
      changes.push([this.#historyKey(sessionId), this.#historyWith(sessionId, checkpoint)]);
    }
    applyAll(this.parts.storage, changes);
  }

  async load(sessionId: string): Promise<Checkpoint | null> {
    const text = this.parts.storage.getItem(this.#checkpointKey(sessionId));
    return text === null ? null : decodeCheckpoint(sessionId, text);
  }

  async delete(sessionId: string, options?: { readonly keepHistory?: boolean }): Promise<void> {
    this.parts.storage.removeItem(this.#checkpointKey(sessionId));
    if (options?.keepHistory !== true) this.parts.storage.removeItem(this.#historyKey(sessionId));
  }

  async list({ status, after = '', limit }: ListFilter = {}): Promise<readonly CheckpointListing[]> {
    const listing: CheckpointListing[] = [];
    for (const sessionId of this.#ids()) {
      if (limit !== undefined && listing.length >= limit) break;
      const checkpoint = sessionId > after ? await this.#loadForListing(sessionId) : null;
      if (checkpoint === null) continue;
      const found = { sessionId, status: statusOf(checkpoint), checkpoint };
      if (status === undefined || found.status === status) listing.push(found);
    }
    return listing;
  }

  async ids(): Promise<readonly string[]> {
    const kept = this.#idsUnder('checkpoint-history').filter((id) => this.#entries(id).length > 0);
    return [...new Set([...this.#ids(), ...kept])].sort(compareIds);
  }

  async history(
    sessionId: string,
    options: { readonly limit?: number } = {},
  ): Promise<readonly HistoryEntry[]> {
    const limit = Math.min(options.limit ?? this.parts.historyLimit, this.parts.historyLimit);
    return limit === 0 ? [] : this.#entries(sessionId).slice(-limit).reverse();
  }

  /** Removes finished checkpoints saved before an instant, and histories without one. What has no history has no age, and stays. */
  async prune(savedBefore: number): Promise<number> {
    let count = 0;
    for (const sessionId of this.#idsUnder('checkpoint-history')) {
      const savedAt = Date.parse(this.#entries(sessionId).at(-1)?.savedAt ?? '');
      if (!(savedAt < savedBefore)) continue;
      const latest = await this.#loadForListing(sessionId);
      if (latest && statusOf(latest) !== 'finished') continue;
      await this.delete(sessionId);
      if (latest) count += 1;
    }
    return count;
  }

  #historyWith(sessionId: string, checkpoint: Checkpoint): string {
    const entry: HistoryEntry = {
      step: checkpoint.stepIndex,
      savedAt: isoTime(this.parts.clock.now()),
      status: statusOf(checkpoint),
      checkpoint,
    };
    return encode([...this.#entries(sessionId), entry].slice(-this.parts.historyLimit), 'history');
  }

  /** Oldest first. A value that was cut short counts as none, so that the next save starts anew. */
  #entries(sessionId: string): HistoryEntry[] {
    const text = this.parts.storage.getItem(this.#historyKey(sessionId));
    if (text === null) return [];
    try {
      const entries = decode(text);
      return Array.isArray(entries) ? (entries as HistoryEntry[]) : [];
    } catch {
      return [];
    }
  }

  async #loadForListing(sessionId: string): Promise<Checkpoint | null> {
    try {
      return await this.load(sessionId);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return corruptCheckpoint(sessionId, error, this.parts.clock.now());
    }
  }

  #ids(): string[] {
    return this.#idsUnder('checkpoints');
  }

  #idsUnder(kind: string): string[] {
    const start = `${this.parts.prefix}${kind}/`;
    return keysOf(this.parts.storage)
      .filter((key) => key.startsWith(start) && key.endsWith('.json'))
      .map((key) => key.slice(start.length, -'.json'.length))
      .filter(isStoreKey)
      .sort(compareIds);
  }

  #checkpointKey(sessionId: string): string {
    return `${this.parts.prefix}checkpoints/${sessionId}.json`;
  }

  #historyKey(sessionId: string): string {
    return `${this.parts.prefix}checkpoint-history/${sessionId}.json`;
  }
}
