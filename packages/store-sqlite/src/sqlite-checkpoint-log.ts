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
import type { Connection } from './connection.js';
import type { LeaseTable } from './lease-table.js';
import type { StoredCheckpoints } from './stored-checkpoints.js';

/** Puts each call of the contract into a transaction: reads on a snapshot, writes into the queue. */
export class SqliteCheckpointLog implements CheckpointLog {
  constructor(
    readonly connection: Connection,
    readonly checkpoints: StoredCheckpoints,
    readonly leases: LeaseTable,
  ) {}

  write(write: LogWrite): Promise<boolean> {
    const { sessionId, owner } = write;
    return this.connection.write(() => {
      const epoch = owner === undefined ? null : this.leases.epochOf(sessionId, owner);
      if (epoch === undefined) return false;
      this.checkpoints.save(write, epoch);
      return true;
    });
  }

  read(sessionId: string): Promise<LogRecord | null> {
    return this.connection.read(() => this.checkpoints.read(sessionId));
  }

  heads(page: LogPage): Promise<readonly LogHead[]> {
    return this.connection.read(() => this.checkpoints.heads(page));
  }

  ids(): Promise<readonly string[]> {
    return this.connection.read(() => this.checkpoints.ids());
  }

  history(sessionId: string, limit: number): Promise<readonly LogRecord[]> {
    return this.connection.read(() => this.checkpoints.history(sessionId, limit));
  }

  delete(sessionId: string, keepHistory: boolean): Promise<void> {
    return this.connection.write(() => {
      this.leases.end(sessionId);
      this.checkpoints.delete(sessionId, keepHistory);
    });
  }

  acquireLease(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    return this.connection.write(() => this.leases.acquire(sessionId, owner, ttlMs));
  }

  renewLeases(leases: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    return this.connection.write(() =>
      leases.map(({ sessionId, owner }) => this.leases.renew(sessionId, owner, ttlMs)),
    );
  }

  releaseLease(sessionId: string, owner: string): Promise<void> {
    return this.connection.write(() => this.leases.release(sessionId, owner));
  }

  readLease(sessionId: string): Promise<LeaseHolder | null> {
    return this.connection.read(() => this.leases.holder(sessionId));
  }
}
