import { isoTime, type Lease, type LeaseHolder, type LeaseRef } from '@lousho/core/contract';
import { textArray } from './arrays.js';
import type { Database } from './database.js';
import { ownerOf, ownerText } from './owner-text.js';
import { IS_LEASED, NOW_MS } from './server-time.js';

/** Who may advance which id, by the server's clock. */
export class LeaseTable {
  constructor(
    readonly database: Database,
    readonly schema: string,
  ) {}

  async acquire(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    // The lock orders the takers of an id before they draw their epochs, also where there is no row yet to wait for. It ends with
    // the statement. The condition is judged once the row's own lock is held, by the time it is then.
    const [row] = await this.database.run(
      `WITH turn AS MATERIALIZED (
         SELECT pg_advisory_xact_lock(hashtextextended('${this.schema}.' || $1::text, 0))
       ), drawn AS MATERIALIZED (
         SELECT nextval('${this.schema}.epochs') AS epoch FROM turn
       )
       INSERT INTO ${this.schema}.checkpoints AS c
         (session_id, saved_at, lease_owner, lease_epoch, lease_since, lease_expires_at)
       SELECT $1::text, ${NOW_MS}, $2::text, epoch, ${NOW_MS}, ${NOW_MS} + $3::bigint FROM drawn
       ON CONFLICT (session_id) DO UPDATE
       SET lease_owner = excluded.lease_owner,
           lease_epoch = CASE WHEN c.lease_owner = excluded.lease_owner THEN c.lease_epoch ELSE excluded.lease_epoch END,
           lease_since = CASE WHEN c.lease_owner = excluded.lease_owner THEN c.lease_since ELSE ${NOW_MS} END,
           lease_expires_at = ${NOW_MS} + $3::bigint
       WHERE c.lease_owner = excluded.lease_owner OR NOT ${IS_LEASED}
       RETURNING c.lease_epoch::text AS epoch`,
      [sessionId, ownerText(owner), ttlMs],
    );
    return row ? { epoch: Number(row.epoch) } : false;
  }

  async renew(leases: readonly LeaseRef[], ttlMs: number): Promise<boolean[]> {
    if (leases.length === 0) return [];
    // Locked in the order of the ids, as saves do it: two statements over the same ids never wait for each other.
    const rows = await this.database.run(
      `WITH held AS MATERIALIZED (
         SELECT c.session_key, i.n
         FROM ${this.schema}.checkpoints c
         JOIN unnest($1::text[], $2::text[]) WITH ORDINALITY AS i (session_id, owner, n)
           ON i.session_id = c.session_id AND i.owner = c.lease_owner
         ORDER BY c.session_id
         FOR NO KEY UPDATE OF c
       ), renewed AS (
         UPDATE ${this.schema}.checkpoints c
         SET lease_expires_at = ${NOW_MS} + $3::bigint
         WHERE c.session_key IN (SELECT session_key FROM held)
       )
       SELECT n::int AS n FROM held`,
      [
        textArray(leases.map((lease) => lease.sessionId)),
        textArray(leases.map((lease) => ownerText(lease.owner))),
        ttlMs,
      ],
    );
    const renewed = new Set(rows.map((row) => Number(row.n)));
    return leases.map((_, index) => renewed.has(index + 1));
  }

  async release(sessionId: string, owner: string): Promise<void> {
    await this.database.run(
      `UPDATE ${this.schema}.checkpoints c
       SET lease_owner = NULL, lease_expires_at = NULL
       WHERE c.session_id = $1 AND c.lease_owner = $2`,
      [sessionId, ownerText(owner)],
    );
  }

  async holder(sessionId: string): Promise<LeaseHolder | null> {
    const [row] = await this.database.run(
      `SELECT c.lease_owner AS owner, c.lease_epoch::text AS epoch, c.lease_since::text AS since,
              c.lease_expires_at::text AS expires_at
       FROM ${this.schema}.checkpoints c
       WHERE c.session_id = $1 AND ${IS_LEASED}`,
      [sessionId],
    );
    if (!row) return null;
    return {
      owner: ownerOf(String(row.owner)),
      epoch: Number(row.epoch),
      since: isoTime(Number(row.since)),
      takeableAt: isoTime(Number(row.expires_at)),
    };
  }
}
