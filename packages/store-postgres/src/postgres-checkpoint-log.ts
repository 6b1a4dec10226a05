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
import type { LeaseTable } from './lease-table.js';
import type { SaveQueue } from './save-queue.js';
import type { StoredCheckpoints } from './stored-checkpoints.js';

/** Hands each call of the contract to the part that answers it. */
export class PostgresCheckpointLog implements CheckpointLog {
  constructor(
    readonly saves: SaveQueue,
    readonly checkpoints: StoredCheckpoints,
    readonly leases: LeaseTable,
  ) {}

  write(write: LogWrite): Promise<boolean> {
    return this.saves.write(write);
  }

  read(sessionId: string): Promise<LogRecord | null> {
    return this.checkpoints.read(sessionId);
  }

  heads(page: LogPage): Promise<readonly LogHead[]> {
    return this.checkpoints.heads(page);
  }

  ids(): Promise<readonly string[]> {
    return this.checkpoints.ids();
  }

  history(sessionId: string, limit: number): Promise<readonly LogRecord[]> {
    return this.checkpoints.history(sessionId, limit);
  }

  delete(sessionId: string, keepHistory: boolean): Promise<void> {
    return this.checkpoints.delete(sessionId, keepHistory);
  }

  acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    return this.leases.acquire(sessionId, owner, ttlMs);
  }

  renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    return this.leases.renew(leases, ttlMs);
  }

  releaseLease(sessionId: string, owner: string): Promise<void> {
    return this.leases.release(sessionId, owner);
  }

  readLease(sessionId: string): Promise<LeaseHolder | null> {
    return this.leases.holder(sessionId);
  }
}
