import { type Clock, isoTime, type Lease, type LeaseHolder } from '@lousho/core/contract';
import { number } from './attributes.js';
import type { Call } from './call.js';
import { type Head, LEASE_ATTRIBUTES, ownerText, readHead } from './head-item.js';
import { checkpointKey } from './item-names.js';
import type { LeaseWatch } from './lease-watch.js';

/** Who may advance which id. Every change is one conditional update of the id's head. */
export class DynamoDBLeases {
  /** When the records of leases that have saved nothing yet were to expire: while they are held, they do not. */
  readonly #expiries = new Map<string, number>();

  constructor(
    readonly watch: LeaseWatch,
    readonly clock: Clock,
  ) {}

  async acquire(call: Call, sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    for (let conflicts = 1; ; conflicts++) {
      const head = await readHead(call, sessionId);
      if (head.lease?.owner === owner) {
        if (await this.renew(call, sessionId, owner, ttlMs)) return { epoch: head.lease.epoch };
      } else {
        if (head.lease && this.watch.remainingMs(sessionId, head.lease) > 0) return false;
        const lease = await this.#take(call, sessionId, head, { owner, ttlMs });
        if (lease) return lease;
      }
      // Somebody changed the lease in between, or this very request was answered to a connection that was cut off.
      await call.pauseAfterConflict(conflicts);
    }
  }

  async renew(call: Call, sessionId: string, owner: string, ttlMs: number): Promise<boolean> {
    // Adding 0 makes the reply name the epoch.
    const change = { set: { ttl: ttlMs }, add: { beat: 1, epoch: 0 } };
    const done = await call.update(checkpointKey(sessionId), change, { owner: ownerText(owner) });
    if (done === false) return false;
    this.watch.see(sessionId, number(done, 'epoch') ?? 0, number(done, 'beat') ?? 0);
    return true;
  }

  async release(call: Call, sessionId: string, owner: string): Promise<void> {
    const x = this.#expiries.get(sessionId);
    const change = { remove: LEASE_ATTRIBUTES, ...(x !== undefined && { set: { x } }) };
    this.#expiries.delete(sessionId);
    const isDone = await call.update(checkpointKey(sessionId), change, { owner: ownerText(owner) });
    // Of another's lease, what was watched so far still counts.
    if (isDone !== false) this.watch.forget(sessionId);
  }

  async read(call: Call, sessionId: string): Promise<LeaseHolder | null> {
    const { lease } = await readHead(call, sessionId);
    if (!lease) return null;
    const remainingMs = this.watch.remainingMs(sessionId, lease);
    if (remainingMs === 0) return null;
    return {
      owner: lease.owner,
      epoch: lease.epoch,
      since: isoTime(lease.since),
      takeableAt: isoTime(Math.ceil(this.clock.now() + remainingMs)),
    };
  }

  /** Whether the lease may not be taken yet. */
  isLive(sessionId: string, { lease }: Head): boolean {
    return lease !== null && this.watch.remainingMs(sessionId, lease) > 0;
  }

  /** A save decides anew when its record expires. */
  hasSaved(sessionId: string): void {
    this.#expiries.delete(sessionId);
  }

  async #take(
    call: Call,
    sessionId: string,
    { lease, epoch, expiresAt }: Head,
    { owner, ttlMs }: { owner: string; ttlMs: number },
  ): Promise<Lease | undefined> {
    const now = this.clock.now();
    // Where an id's record is gone, its epochs go on from the time: no later one is smaller.
    const next = epoch === undefined ? Math.max(1, Math.floor(now)) : epoch + 1;
    const set = { owner: ownerText(owner), epoch: next, beat: 1, ttl: ttlMs, since: now };
    const change = { set, remove: ['x'] };
    const unchanged = {
      epoch: epoch ?? null,
      owner: lease ? ownerText(lease.owner) : null,
      ...(lease && { beat: lease.beat }),
    };
    if ((await call.update(checkpointKey(sessionId), change, unchanged)) === false) return undefined;
    this.watch.see(sessionId, next, 1);
    this.#expiries.delete(sessionId);
    if (expiresAt !== undefined) this.#expiries.set(sessionId, expiresAt);
    return { epoch: next };
  }
}
