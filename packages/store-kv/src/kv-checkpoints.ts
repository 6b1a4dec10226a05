import {
  type Checkpoint,
  type CheckpointListing,
  type CheckpointStatus,
  type Clock,
  compareIds,
  corruptCheckpoint,
  decodeCheckpoint,
  encode,
  type HistoryEntry,
  isoTime,
  isStoreKey,
  isUnreadable,
  type ListFilter,
  type PendingCheckpoint,
  pendingOf,
  statusOf,
} from '@lousho/core/contract';
import { entryFacts, type KvHistory, newEntryId } from './kv-history.js';
import type { KvKeys } from './kv-keys.js';
import type { KvLeases } from './kv-leases.js';
import { assertValueSize, type KvValues } from './kv-values.js';
import type { SerialQueues } from './serial-queues.js';

export interface CheckpointParts {
  readonly values: KvValues;
  readonly keys: KvKeys;
  readonly queues: SerialQueues;
  readonly leases: KvLeases;
  readonly history: KvHistory;
  readonly historyLimit: number;
  readonly clock: Clock;
}

/** What stands beside a checkpoint's key, so that a listing need not read every value. Absent on older data. */
export interface CheckpointFacts {
  readonly status?: CheckpointStatus;
  /** Wall-clock milliseconds. */
  readonly savedAt?: number;
}

/** Whole checkpoints, one key each. Arguments are checked before. */
export class KvCheckpoints {
  /** Without a history, what was saved last under which lease is known to this process only. */
  readonly #last = new Map<string, { epoch: number; revision: number }>();

  constructor(readonly parts: CheckpointParts) {}

  /** `owner`: only as the holder, which is looked up before the first write. `false`: it is not. */
  save(sessionId: string, checkpoint: Checkpoint, owner?: string): Promise<boolean> {
    const { clock, historyLimit, keys, queues } = this.parts;
    const savedAt = clock.now();
    const text = encode(checkpoint, 'checkpoint');
    const status = statusOf(checkpoint);
    const entry =
      historyLimit > 0
        ? `{"step":${checkpoint.stepIndex},"savedAt":"${isoTime(savedAt)}","status":"${status}","checkpoint":${text}}`
        : undefined;
    assertValueSize(sessionId, entry ?? text);
    const revision = checkpoint.revision ?? 0;
    return queues.run(keys.checkpoint(sessionId), async () => {
      const epoch = owner === undefined ? 0 : await this.parts.leases.epochOf(sessionId, owner);
      if (epoch === undefined) return false;
      const index = entry === undefined ? [] : await this.parts.history.index(sessionId);
      if (this.#isRepeat(sessionId, index, { epoch, revision })) return true;
      const metadata: CheckpointFacts = { status, savedAt };
      await this.parts.values.put(keys.checkpoint(sessionId), text, { metadata });
      if (entry !== undefined) {
        const id = newEntryId({ epoch, revision });
        await this.parts.history.add(sessionId, index, { id, text: entry, savedAt, limit: historyLimit });
      }
      this.#remember(sessionId, { epoch, revision });
      return true;
    });
  }

  async load(sessionId: string): Promise<Checkpoint | null> {
    const text = await this.parts.values.get(this.parts.keys.checkpoint(sessionId));
    return text === null ? null : decodeCheckpoint(sessionId, text);
  }

  async delete(sessionId: string, keepHistory: boolean): Promise<void> {
    // First the lease: a holder's save that has not begun is refused from here on.
    await this.parts.leases.end(sessionId);
    await this.parts.queues.run(this.parts.keys.checkpoint(sessionId), async () => {
      this.#last.delete(sessionId);
      await this.parts.values.delete(this.parts.keys.checkpoint(sessionId));
      if (!keepHistory) await this.parts.history.drop(sessionId);
    });
  }

  async list({ status, after = '', limit }: ListFilter): Promise<CheckpointListing[]> {
    const listing: CheckpointListing[] = [];
    for await (const { sessionId, facts } of this.ids()) {
      if (limit !== undefined && listing.length >= limit) break;
      const isPassedOver =
        sessionId <= after || (status !== undefined && (facts.status ?? status) !== status);
      const checkpoint = isPassedOver ? null : await this.#loadForListing(sessionId);
      if (checkpoint === null) continue;
      const found = { sessionId, status: statusOf(checkpoint), checkpoint };
      if (status === undefined || found.status === status) listing.push(found);
    }
    return listing;
  }

  async listPending(page: {
    readonly after?: string;
    readonly limit?: number;
  }): Promise<PendingCheckpoint[]> {
    const listing: PendingCheckpoint[] = [];
    for await (const { sessionId, facts } of this.ids()) {
      if (page.limit !== undefined && listing.length >= page.limit) break;
      if (sessionId <= (page.after ?? '') || facts.status === 'finished') continue;
      const checkpoint = await this.#loadForListing(sessionId);
      if (checkpoint && statusOf(checkpoint) !== 'finished') listing.push(pendingOf(checkpoint));
    }
    return listing;
  }

  history(sessionId: string, limit = Number.POSITIVE_INFINITY): Promise<HistoryEntry[]> {
    return this.parts.history.read(sessionId, Math.min(limit, this.parts.historyLimit));
  }

  /** Those whose history alone is kept among them. */
  async allIds(): Promise<readonly string[]> {
    const { keys, values } = this.parts;
    const ids = new Set<string>();
    for await (const { name } of values.keys(keys.checkpoints)) {
      const [id = '', kind = 'history'] = name.slice(keys.checkpoints.length).split('#');
      if (kind === 'history' && isStoreKey(id)) ids.add(id);
    }
    return [...ids].sort(compareIds);
  }

  /** Every checkpoint's id, in code-point order, with what stands beside its key. */
  async *ids(): AsyncGenerator<{ sessionId: string; facts: CheckpointFacts }, void, undefined> {
    const { keys, values } = this.parts;
    for await (const { name, metadata } of values.keys(keys.checkpoints)) {
      const sessionId = name.slice(keys.checkpoints.length);
      if (isStoreKey(sessionId)) yield { sessionId, facts: (metadata ?? {}) as CheckpointFacts };
    }
  }

  /** A revision that is not newer than the latest save under the same lease was sent before. */
  #isRepeat(
    sessionId: string,
    index: readonly string[],
    { epoch, revision }: { epoch: number; revision: number },
  ): boolean {
    if (epoch === 0 || revision === 0) return false;
    const last = this.parts.historyLimit > 0 ? entryFacts(index.at(-1)) : this.#last.get(sessionId);
    return last?.epoch === epoch && revision <= last.revision;
  }

  #remember(sessionId: string, facts: { epoch: number; revision: number }): void {
    if (this.parts.historyLimit > 0) return;
    this.#last.delete(sessionId);
    this.#last.set(sessionId, facts);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MOST_REMEMBERED && oldest !== undefined) this.#last.delete(oldest);
  }

  /** `null` when it was deleted since it was listed. */
  async #loadForListing(sessionId: string): Promise<Checkpoint | null> {
    try {
      return await this.load(sessionId);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return corruptCheckpoint(sessionId, error, this.parts.clock.now());
    }
  }
}

const MOST_REMEMBERED = 1_000;
