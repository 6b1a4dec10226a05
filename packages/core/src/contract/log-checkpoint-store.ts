import type { StoreCapabilities } from './capabilities.js';
import type { Checkpoint, CheckpointStatus } from './checkpoint.js';
import { assertCheckpoint, assertPage, assertSaveOptions } from './checkpoint-checks.js';
import type { CheckpointLog, LogHead, LogPage, LogWrite } from './checkpoint-log.js';
import {
  corruptCheckpoint,
  decodeHead,
  decodeRecord,
  encodeWrite,
  historyEntry,
  pendingOf,
} from './checkpoint-record.js';
import type {
  CheckpointListing,
  CheckpointStore,
  HistoryEntry,
  Lease,
  LeaseHolder,
  LeaseRef,
  ListFilter,
  PendingCheckpoint,
  SaveOptions,
} from './checkpoint-store.js';
import * as checks from './checks.js';
import type { Clock } from './clock.js';
import { SDKError } from './errors.js';
import { isUnreadable } from './format.js';
import type { Gate } from './gate.js';
import { markGuarded } from './guarded.js';
import { assertStoreKey } from './ids.js';

export interface LogCheckpointStoreParts {
  readonly log: CheckpointLog;
  readonly gate: Gate;
  readonly capabilities: StoreCapabilities;
  readonly clock: Clock;
}

const PENDING: readonly CheckpointStatus[] = ['in-progress', 'awaiting-approval'];

/**
 * The checkpoint store over a log of rows: checks arguments, encodes and decodes, keeps the gate. Written once for every bundled
 * store, so that all give the same verdict on the same call.
 */
export class LogCheckpointStore implements CheckpointStore {
  readonly capabilities: StoreCapabilities;
  readonly #parts: LogCheckpointStoreParts;

  constructor(parts: LogCheckpointStoreParts) {
    this.#parts = parts;
    this.capabilities = parts.capabilities;
    markGuarded(this);
  }

  async save(sessionId: string, checkpoint: Checkpoint, options?: SaveOptions): Promise<void> {
    const write = this.#encode(sessionId, checkpoint, options);
    await this.#run('save', () => this.#parts.log.write(write));
  }

  async saveIfLeased(
    sessionId: string,
    checkpoint: Checkpoint,
    owner: string,
    options?: SaveOptions,
  ): Promise<boolean> {
    const write = this.#encode(sessionId, checkpoint, options, checks.owner(owner));
    return this.#run('saveIfLeased', () => this.#parts.log.write(write));
  }

  async load(sessionId: string): Promise<Checkpoint | null> {
    assertStoreKey(sessionId);
    const record = await this.#run('load', () => this.#parts.log.read(sessionId));
    return record && decodeRecord(sessionId, record);
  }

  async delete(sessionId: string, options?: { readonly keepHistory?: boolean }): Promise<void> {
    assertStoreKey(sessionId);
    await this.#run('delete', () => this.#parts.log.delete(sessionId, options?.keepHistory === true));
  }

  async list(filter: ListFilter = {}): Promise<readonly CheckpointListing[]> {
    assertPage(filter);
    const { status, ...page } = filter;
    const heads = await this.#heads('list', { ...page, ...(status && { statuses: [status] }) });
    const listing: CheckpointListing[] = [];
    for (const { sessionId } of heads) {
      const checkpoint = await this.#loadForListing(sessionId);
      if (checkpoint) listing.push({ sessionId, status: checkpoint.status ?? 'in-progress', checkpoint });
    }
    return listing;
  }

  async listPending(page: { after?: string; limit?: number } = {}): Promise<readonly PendingCheckpoint[]> {
    assertPage(page);
    const heads = await this.#heads('listPending', { ...page, statuses: PENDING });
    return heads.map((entry) => this.#pending(entry));
  }

  ids(): Promise<readonly string[]> {
    return this.#run('ids', () => this.#parts.log.ids());
  }

  async history(sessionId: string, options: { limit?: number } = {}): Promise<readonly HistoryEntry[]> {
    assertStoreKey(sessionId);
    const limit =
      options.limit === undefined ? Number.MAX_SAFE_INTEGER : checks.wholeNumber('limit', options.limit);
    if (limit === 0) return [];
    const records = await this.#run('history', () => this.#parts.log.history(sessionId, limit));
    return records.map((record) => historyEntry(sessionId, record));
  }

  async acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    assertStoreKey(sessionId);
    const [by, ttl] = [checks.owner(owner), checks.ttl('ttlMs', ttlMs)];
    return this.#run('acquireLease', () => this.#parts.log.acquireLease(sessionId, by, ttl));
  }

  async renewLease(sessionId: string, owner: string, ttlMs: number): Promise<boolean> {
    const [isHeld] = await this.renewLeases([{ sessionId, owner }], ttlMs);
    return isHeld === true;
  }

  async renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    const ttl = checks.ttl('ttlMs', ttlMs);
    for (const lease of leases) {
      assertStoreKey(lease.sessionId);
      checks.owner(lease.owner);
    }
    return this.#run('renewLeases', () => this.#parts.log.renewLeases(leases, ttl));
  }

  async releaseLease(sessionId: string, owner: string): Promise<void> {
    assertStoreKey(sessionId);
    const by = checks.owner(owner);
    await this.#run('releaseLease', () => this.#parts.log.releaseLease(sessionId, by));
  }

  async readLease(sessionId: string): Promise<LeaseHolder | null> {
    assertStoreKey(sessionId);
    return this.#run('readLease', () => this.#parts.log.readLease(sessionId));
  }

  #run<T>(operation: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.gate.run(operation, work);
  }

  #encode(sessionId: string, checkpoint: Checkpoint, options?: SaveOptions, owner?: string): LogWrite {
    assertCheckpoint(sessionId, checkpoint);
    const unchangedMessages = assertSaveOptions(checkpoint, options);
    const write = encodeWrite(checkpoint, {
      unchangedMessages,
      savedAt: this.#parts.clock.now(),
      ...(owner !== undefined && { owner }),
    });
    this.#assertSize(write);
    return write;
  }

  #assertSize(write: LogWrite): void {
    const max = this.#parts.capabilities.limits?.maxCheckpointBytes;
    if (max === undefined) return;
    let size = utf8Bytes(write.head);
    for (let index = write.unchangedMessages; index < write.messageCount; index++)
      size += utf8Bytes(write.row(index));
    if (size > max) {
      throw new SDKError(
        'LOUSHO_CHECKPOINT_TOO_LARGE',
        `checkpoint ${write.sessionId}: expected at most ${max} bytes in one save, got ${size}`,
      );
    }
  }

  #heads(operation: string, page: LogPage): Promise<readonly LogHead[]> {
    if (page.limit === 0) return Promise.resolve([]);
    return this.#run(operation, () => this.#parts.log.heads(page));
  }

  #pending(entry: LogHead): PendingCheckpoint {
    try {
      if ('fault' in entry) throw entry.fault;
      return pendingOf(decodeHead(entry.sessionId, entry.head));
    } catch (fault) {
      return pendingOf(this.#corrupt(entry.sessionId, fault));
    }
  }

  /** `null` when it was deleted since it was listed. */
  async #loadForListing(sessionId: string): Promise<Checkpoint | null> {
    try {
      return await this.load(sessionId);
    } catch (error) {
      if (isUnreadable(error)) return this.#corrupt(sessionId, error);
      throw error;
    }
  }

  #corrupt(sessionId: string, fault: unknown): Checkpoint {
    const error = fault instanceof Error ? fault : new Error(String(fault));
    return corruptCheckpoint(sessionId, error, this.#parts.clock.now());
  }
}

const utf8 = new TextEncoder();

function utf8Bytes(text: string): number {
  return utf8.encode(text).length;
}
