import {
  type CheckpointLog,
  type CheckpointStatus,
  compareIds,
  type Lease,
  type LeaseHolder,
  type LeaseRef,
  type LogHead,
  type LogPage,
  type LogRecord,
  type LogWrite,
} from '@lousho/core/contract';
import type { MemoryLeases } from './memory-leases.js';
import { type SavedHead, SavedRun } from './saved-run.js';

/** Checkpoints in memory. Every method does its work in the turn in which it is called, so that no two can interleave. */
export class MemoryLog implements CheckpointLog {
  readonly #runs = new Map<string, SavedRun>();

  constructor(
    readonly leases: MemoryLeases,
    readonly historyLimit: number,
  ) {}

  async write(write: LogWrite): Promise<boolean> {
    const run = this.#runs.get(write.sessionId) ?? new SavedRun();
    if (write.owner !== undefined && !this.leases.isHolder(write.sessionId, write.owner)) return false;
    if (run.hasApplied(write)) return true;
    run.add(write, this.historyLimit);
    this.#runs.set(write.sessionId, run);
    return true;
  }

  async read(sessionId: string): Promise<LogRecord | null> {
    const run = this.#runs.get(sessionId);
    return run?.latest ? run.record(run.latest) : null;
  }

  async heads({ statuses, after = '', limit }: LogPage): Promise<readonly LogHead[]> {
    return this.#latest()
      .filter(({ sessionId, latest }) => sessionId > after && isOneOf(latest.status, statuses))
      .sort((a, b) => compareIds(a.sessionId, b.sessionId))
      .slice(0, limit)
      .map(({ sessionId, latest }) => ({ sessionId, head: latest.head }));
  }

  async ids(): Promise<readonly string[]> {
    return [...this.#runs.keys()].sort(compareIds);
  }

  async history(sessionId: string, limit: number): Promise<readonly LogRecord[]> {
    return this.#runs.get(sessionId)?.history(limit) ?? [];
  }

  async delete(sessionId: string, keepHistory: boolean): Promise<void> {
    // The lease goes too, so that a run which is still under way is fenced.
    this.leases.end(sessionId);
    if (keepHistory) this.#runs.get(sessionId)?.dropLatest();
    else this.#runs.delete(sessionId);
    this.#forgetIfEmpty(sessionId);
  }

  async acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    return this.leases.acquire(sessionId, owner, ttlMs);
  }

  async renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    return leases.map(({ sessionId, owner }) => this.leases.renew(sessionId, owner, ttlMs));
  }

  async releaseLease(sessionId: string, owner: string): Promise<void> {
    this.leases.release(sessionId, owner);
  }

  async readLease(sessionId: string): Promise<LeaseHolder | null> {
    return this.leases.read(sessionId);
  }

  unfinishedHeads(): readonly LogHead[] {
    return this.#latest()
      .filter(({ latest }) => latest.status !== 'finished')
      .map(({ sessionId, latest }) => ({ sessionId, head: latest.head }));
  }

  /** Removes finished runs saved before `savedAt`, and histories without a run. Returns how many runs. */
  prune(savedAt: number): number {
    let count = 0;
    for (const [sessionId, run] of [...this.#runs]) {
      const { latest } = run;
      if (latest === null) {
        run.dropHistoryBefore(savedAt);
        this.#forgetIfEmpty(sessionId);
      } else if (this.#isPrunable(sessionId, latest, savedAt)) {
        this.leases.end(sessionId);
        this.#runs.delete(sessionId);
        count += 1;
      }
    }
    return count;
  }

  #isPrunable(sessionId: string, latest: SavedHead, savedAt: number): boolean {
    return latest.status === 'finished' && latest.savedAt < savedAt && !this.leases.isLive(sessionId);
  }

  #latest(): { sessionId: string; latest: SavedHead }[] {
    return [...this.#runs].flatMap(([sessionId, { latest }]) => (latest ? [{ sessionId, latest }] : []));
  }

  #forgetIfEmpty(sessionId: string): void {
    if (this.#runs.get(sessionId)?.isEmpty) this.#runs.delete(sessionId);
  }
}

function isOneOf(status: CheckpointStatus, statuses: readonly CheckpointStatus[] | undefined): boolean {
  return statuses === undefined || statuses.includes(status);
}
