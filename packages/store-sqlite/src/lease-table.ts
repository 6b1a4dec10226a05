import { hasOwnerEnded, isoTime, type Lease, type LeaseHolder } from '@lousho/core/contract';
import {
  type HostClock,
  hasProvablyEnded,
  isLeaseOver,
  type LeaseTerm,
  leaseTerm,
  type ProcessIdentity,
  processIdentity,
  takeableAtMs,
} from '@lousho/core/node';
import type { Database } from 'better-sqlite3';

interface LeaseRow {
  readonly session_id: string;
  readonly owner: string;
  readonly epoch: number;
  readonly holder: string;
  readonly acquired_at: number;
  readonly domain: string;
  readonly expires_monotonic_ms: number;
  readonly expires_wall_ms: number;
}

/** Who may advance which id. Every method runs inside a transaction of the caller's. */
export class LeaseTable {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(
    db: Database,
    readonly clock: HostClock,
    readonly graceMs: number,
  ) {
    this.#sql = prepare(db);
  }

  /** The epoch under which `owner` holds the id; `undefined` when it does not. Whoever still stands as holder holds. */
  epochOf(sessionId: string, owner: string): number | undefined {
    const row = this.#sql.find.get(sessionId);
    return row?.owner === ownerText(owner) ? row.epoch : undefined;
  }

  acquire(sessionId: string, owner: string, ttlMs: number): false | Lease {
    const row = this.#sql.find.get(sessionId);
    if (row?.owner === ownerText(owner)) {
      this.renew(sessionId, owner, ttlMs);
      return { epoch: row.epoch };
    }
    if (row && !this.#isTakeable(row)) return false;
    const epoch = this.#nextEpoch();
    const [acquiredAt, columns] = [this.clock.now(), this.#termColumns(ttlMs)];
    this.#sql.take.run(sessionId, ownerText(owner), epoch, acquiredAt, ...columns);
    return { epoch };
  }

  renew(sessionId: string, owner: string, ttlMs: number): boolean {
    const { changes } = this.#sql.renew.run(...this.#termColumns(ttlMs), sessionId, ownerText(owner));
    return changes === 1;
  }

  release(sessionId: string, owner: string): void {
    this.#sql.release.run(sessionId, ownerText(owner));
  }

  end(sessionId: string): void {
    this.#sql.end.run(sessionId);
  }

  holder(sessionId: string): LeaseHolder | null {
    const row = this.#sql.find.get(sessionId);
    if (!row || this.#isTakeable(row)) return null;
    const { host, pid } = identityOf(row) ?? {};
    return {
      owner: JSON.parse(row.owner) as string,
      epoch: row.epoch,
      ...(host !== undefined && { host }),
      ...(pid !== undefined && { pid }),
      since: isoTime(row.acquired_at),
      takeableAt: isoTime(Math.ceil(takeableAtMs(termOf(row), this.clock.hostTime(), this.graceMs))),
    };
  }

  /** Whether the id, or one that starts with it and a dot, has a lease that nobody else could take. */
  isHeldUnder(sessionId: string): boolean {
    return this.#sql.under.all(sessionId, sessionId, sessionId).some((row) => !this.#isTakeable(row));
  }

  isHeld(sessionId: string): boolean {
    const row = this.#sql.find.get(sessionId);
    return row !== undefined && !this.#isTakeable(row);
  }

  #isTakeable(row: LeaseRow): boolean {
    if (isLeaseOver(termOf(row), this.clock.hostTime(), this.graceMs)) return true;
    if (hasOwnerEnded(JSON.parse(row.owner) as string)) return true;
    const identity = identityOf(row);
    return identity !== undefined && hasProvablyEnded(identity);
  }

  #nextEpoch(): number {
    // One counter for all ids that never goes back: no delete or prune restarts an id's epochs.
    const epoch = this.#sql.nextEpoch.get();
    if (epoch === undefined) throw new Error('the row of the epoch counter is missing');
    return epoch;
  }

  /** Renewed together with the term: where two processes use one owner id, the lease stands for the one that was seen last. */
  #termColumns(ttlMs: number): [string, number, string, number, number] {
    const term = leaseTerm(this.clock.hostTime(), ttlMs);
    const holder = JSON.stringify(processIdentity());
    return [holder, ttlMs, term.domain, term.expiresMonotonicMs, term.expiresWallMs];
  }
}

/** As JSON: two owners that differ only in a lone surrogate would be stored as the same UTF-8. */
function ownerText(owner: string): string {
  return JSON.stringify(owner);
}

function termOf(row: LeaseRow): LeaseTerm {
  return {
    domain: row.domain,
    expiresMonotonicMs: row.expires_monotonic_ms,
    expiresWallMs: row.expires_wall_ms,
  };
}

/** `undefined` for what cannot be read: then nothing is proven about the holder. */
function identityOf(row: LeaseRow): ProcessIdentity | undefined {
  try {
    return JSON.parse(row.holder) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

function prepare(db: Database) {
  const COLUMNS =
    'session_id, owner, epoch, holder, acquired_at, domain, expires_monotonic_ms, expires_wall_ms';
  return {
    find: db.prepare<[string], LeaseRow>(`SELECT ${COLUMNS} FROM leases WHERE session_id = ?`),
    under: db.prepare<[string, string, string], LeaseRow>(
      `SELECT ${COLUMNS}
       FROM leases
       WHERE session_id = ? OR (session_id > ? || '.' AND session_id < ? || '/')`,
    ),
    take: db.prepare<[string, string, number, number, string, number, string, number, number]>(
      `INSERT OR REPLACE INTO leases
         (session_id, owner, epoch, acquired_at, holder, ttl_ms, domain, expires_monotonic_ms, expires_wall_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    renew: db.prepare<[string, number, string, number, number, string, string]>(
      `UPDATE leases
       SET holder = ?, ttl_ms = ?, domain = ?, expires_monotonic_ms = ?, expires_wall_ms = ?
       WHERE session_id = ? AND owner = ?`,
    ),
    release: db.prepare<[string, string]>('DELETE FROM leases WHERE session_id = ? AND owner = ?'),
    end: db.prepare<[string]>('DELETE FROM leases WHERE session_id = ?'),
    nextEpoch: db
      .prepare<[], number>('UPDATE epochs SET latest = latest + 1 WHERE id = 1 RETURNING latest')
      .pluck(),
  };
}
