import {
  type Checkpoint,
  type CheckpointListing,
  type CheckpointStore,
  compareIds,
  decode,
  encode,
  type HistoryEntry,
  isoTime,
  type Lease,
  type LeaseHolder,
  type LeaseRef,
  type ListFilter,
  type PendingCheckpoint,
  pendingOf,
  type SaveOptions,
  type StoreCapabilities,
  statusOf,
} from '@lousho/core/contract';
import type { ReferenceLeases } from './reference-leases.js';
import { type ReferenceParts, step } from './reference-parts.js';
import type { StoredRun, StoredSave } from './reference-storage.js';

/** Checkpoints as whole records. Arguments are checked before, by core's guard. */
export class ReferenceCheckpoints implements CheckpointStore {
  constructor(
    readonly parts: ReferenceParts,
    readonly leases: ReferenceLeases,
    readonly capabilities: StoreCapabilities,
  ) {}

  save(_sessionId: string, checkpoint: Checkpoint, _options?: SaveOptions): Promise<void> {
    const save = this.encoded(checkpoint, undefined);
    return step(this.parts, 'save', () => this.addNow(checkpoint.sessionId, save));
  }

  saveIfLeased(
    sessionId: string,
    checkpoint: Checkpoint,
    owner: string,
    _options?: SaveOptions,
  ): Promise<boolean> {
    const save = this.encoded(checkpoint, owner);
    return step(this.parts, 'saveIfLeased', () => this.saveIfLeasedNow(sessionId, save, owner));
  }

  load(sessionId: string): Promise<Checkpoint | null> {
    return step(this.parts, 'load', () => this.loadNow(sessionId));
  }

  delete(sessionId: string, options: { readonly keepHistory?: boolean } = {}): Promise<void> {
    return step(this.parts, 'delete', () => this.deleteNow(sessionId, options.keepHistory === true));
  }

  list(filter: ListFilter = {}): Promise<readonly CheckpointListing[]> {
    return step(this.parts, 'list', () => this.listNow(filter));
  }

  listPending(page: Omit<ListFilter, 'status'> = {}): Promise<readonly PendingCheckpoint[]> {
    return step(this.parts, 'listPending', () => this.listPendingNow(page));
  }

  ids(): Promise<readonly string[]> {
    return step(this.parts, 'ids', () => this.idsNow());
  }

  history(
    sessionId: string,
    { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
  ): Promise<readonly HistoryEntry[]> {
    return step(this.parts, 'history', () => this.historyNow(sessionId, limit));
  }

  acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<boolean | Lease> {
    return this.leases.acquire(sessionId, owner, ttlMs);
  }

  renewLease(sessionId: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.leases.renew(sessionId, owner, ttlMs);
  }

  renewLeases(refs: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    return Promise.all(refs.map(({ sessionId, owner }) => this.leases.renew(sessionId, owner, ttlMs)));
  }

  releaseLease(sessionId: string, owner: string): Promise<void> {
    return this.leases.release(sessionId, owner);
  }

  readLease(sessionId: string): Promise<LeaseHolder | null> {
    return this.leases.read(sessionId);
  }

  saveIfLeasedNow(sessionId: string, save: StoredSave, owner: string): boolean {
    if (!this.leases.isHolder(sessionId, owner)) return false;
    if (!this.isRepeated(sessionId, save)) this.addNow(sessionId, save);
    return true;
  }

  addNow(sessionId: string, save: StoredSave): void {
    const { historyLimit } = this.parts;
    const kept = [...this.run(sessionId).history, save];
    this.put(sessionId, { latest: save, history: historyLimit === 0 ? [] : kept.slice(-historyLimit) });
  }

  loadNow(sessionId: string): Checkpoint | null {
    const { latest } = this.run(sessionId);
    return latest && this.decoded(latest);
  }

  deleteNow(sessionId: string, keepHistory: boolean): void {
    // The lease goes too, so that a run which is still under way is fenced.
    this.leases.end(sessionId);
    const { history } = this.run(sessionId);
    if (keepHistory && history.length > 0) this.put(sessionId, { latest: null, history });
    else this.parts.storage.runs.delete(sessionId);
  }

  listNow({ status, after = '', limit }: ListFilter): readonly CheckpointListing[] {
    return this.latestSaves((latest) => (status ?? latest.status) === latest.status, after)
      .slice(0, limit)
      .map(({ sessionId, latest }) => ({
        sessionId,
        status: latest.status,
        checkpoint: this.decoded(latest),
      }));
  }

  /** Those of which only a history is kept among them. */
  idsNow(): readonly string[] {
    return [...this.parts.storage.runs.keys()].sort(compareIds);
  }

  listPendingNow({ after = '', limit }: Omit<ListFilter, 'status'>): readonly PendingCheckpoint[] {
    return this.latestSaves(({ status }) => status !== 'finished', after)
      .slice(0, limit)
      .map(({ latest }) => pendingOf(this.decoded(latest)));
  }

  /** In the order of their ids, behind one of them. */
  latestSaves(isWanted: (save: StoredSave) => boolean, after: string) {
    return [...this.parts.storage.runs]
      .flatMap(([sessionId, { latest }]) => (latest && isWanted(latest) ? [{ sessionId, latest }] : []))
      .filter(({ sessionId }) => sessionId > after)
      .sort((a, b) => compareIds(a.sessionId, b.sessionId));
  }

  historyNow(sessionId: string, limit: number): readonly HistoryEntry[] {
    return [...this.run(sessionId).history]
      .reverse()
      .slice(0, limit)
      .map((save) => {
        const checkpoint = this.decoded(save);
        return {
          step: checkpoint.stepIndex,
          savedAt: isoTime(save.savedAt),
          status: save.status,
          checkpoint,
        };
      });
  }

  /** This very save, or one before it, of the same owner: a client sent it again after a lost reply. */
  isRepeated(sessionId: string, { owner, revision }: StoredSave): boolean {
    const { latest } = this.run(sessionId);
    if (revision === undefined || latest?.revision === undefined) return false;
    return latest.owner === owner && revision <= latest.revision;
  }

  encoded(checkpoint: Checkpoint, owner: string | undefined): StoredSave {
    const { revision } = checkpoint;
    return {
      text: encode(checkpoint, 'checkpoint'),
      status: statusOf(checkpoint),
      revision,
      owner,
      savedAt: this.parts.clock.now(),
    };
  }

  decoded(save: StoredSave): Checkpoint {
    return decode(save.text) as Checkpoint;
  }

  run(sessionId: string): StoredRun {
    return this.parts.storage.run(sessionId);
  }

  put(sessionId: string, run: StoredRun): void {
    this.parts.storage.runs.set(sessionId, run);
  }
}
