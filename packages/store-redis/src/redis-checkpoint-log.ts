import type {
  CheckpointLog,
  Lease,
  LeaseHolder,
  LeaseRef,
  LogHead,
  LogPage,
  LogRecord,
  LogWrite,
} from '@lousho/core/contract';
import type { LeaseRecords } from './lease-records.js';
import type { RunRecords } from './run-records.js';

/** Each call once the server was looked at, so that nothing is kept on one that the caller does not accept. */
export class RedisCheckpointLog implements CheckpointLog {
  constructor(
    readonly runs: RunRecords,
    readonly leases: LeaseRecords,
    readonly opened: () => Promise<void>,
  ) {}

  async write(write: LogWrite): Promise<boolean> {
    await this.opened();
    return this.runs.save(write);
  }

  async read(sessionId: string): Promise<LogRecord | null> {
    await this.opened();
    return this.runs.load(sessionId);
  }

  async heads(page: LogPage): Promise<readonly LogHead[]> {
    await this.opened();
    return this.runs.heads(page);
  }

  async ids(): Promise<readonly string[]> {
    await this.opened();
    return this.runs.ids();
  }

  async history(sessionId: string, limit: number): Promise<readonly LogRecord[]> {
    await this.opened();
    return this.runs.history(sessionId, limit);
  }

  async delete(sessionId: string, keepHistory: boolean): Promise<void> {
    await this.opened();
    await this.runs.delete(sessionId, keepHistory);
  }

  async acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    await this.opened();
    return this.leases.acquire(sessionId, owner, ttlMs);
  }

  async renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    await this.opened();
    return this.leases.renew(leases, ttlMs);
  }

  async releaseLease(sessionId: string, owner: string): Promise<void> {
    await this.opened();
    await this.leases.release(sessionId, owner);
  }

  async readLease(sessionId: string): Promise<LeaseHolder | null> {
    await this.opened();
    return this.leases.read(sessionId);
  }
}
