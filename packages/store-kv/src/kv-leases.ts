import { type Clock, isoTime, type Lease, type LeaseHolder } from '@lousho/core/contract';
import type { KvKeys } from './kv-keys.js';
import type { KvValues, PutOutcome } from './kv-values.js';
import type { SerialQueues } from './serial-queues.js';

/** A lease as its key holds it. A key's own expiry is no use: it is a minute at least. */
interface StoredLease {
  /** `null`: released, or ended by a delete. */
  readonly owner: string | null;
  readonly epoch: number;
  /** Wall-clock milliseconds. */
  readonly expiresAt: number;
  readonly since: number;
  /** Names this very write, so that its writer recognises it. */
  readonly token: string;
}

export interface LeaseParts {
  readonly values: KvValues;
  readonly keys: KvKeys;
  readonly queues: SerialQueues;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Waited past the expiry: the clocks of two isolates may differ. */
export const GRACE_MS = 30_000;
/** After a write, so that whoever wrote at the same moment in the same location is seen. */
export const SETTLE_MS = 50;
/** How long an ended lease's epoch is remembered. */
const REMEMBERED_SECONDS = 7 * 24 * 3_600;

/** Leases without a conditional write: written, waited for, read back. Two locations can both believe that they hold one. */
export class KvLeases {
  constructor(readonly parts: LeaseParts) {}

  acquire(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    const startedAt = this.parts.clock.monotonic();
    return this.#serially(sessionId, async () => {
      // Behind a lost answer, what stands as the owner's may be what this call wrote, and somebody else wrote as well.
      let mayHaveTaken = false;
      for (let attempt = 1; ; attempt++) {
        const before = await this.#read(sessionId);
        const isOwn = before?.owner === owner;
        if (before && before.owner !== null && !isOwn && this.#isLive(before)) return false;
        const next = isOwn ? this.#renewed(before, ttlMs) : this.#taken(before, owner, ttlMs);
        const put = await this.#write(sessionId, next, ttlMs);
        const isRenewed = put.kind === 'written' && isOwn && !mayHaveTaken && this.#isInTime(before);
        if (isRenewed) return { epoch: next.epoch };
        if (put.kind !== 'refused' && (await this.#isStill(sessionId, next))) return { epoch: next.epoch };
        if (put.kind === 'written') return false;
        mayHaveTaken ||= put.kind === 'unknown';
        // The key takes no write at the moment, because somebody has just written it: what was read is old.
        await this.parts.values.pauseAfter(put, attempt, startedAt);
      }
    });
  }

  renew(sessionId: string, owner: string, ttlMs: number): Promise<boolean> {
    const startedAt = this.parts.clock.monotonic();
    return this.#serially(sessionId, async () => {
      for (let attempt = 1; ; attempt++) {
        const before = await this.#read(sessionId);
        if (before?.owner !== owner) return false;
        const next = this.#renewed(before, ttlMs);
        const put = await this.#write(sessionId, next, ttlMs);
        if (put.kind === 'written') return this.#isInTime(before) || this.#isStill(sessionId, next);
        if (put.kind === 'unknown' && (await this.#isStill(sessionId, next))) return true;
        await this.parts.values.pauseAfter(put, attempt, startedAt);
      }
    });
  }

  /** `owner`: only that one's; without it whoever's. */
  end(sessionId: string, owner?: string): Promise<void> {
    return this.#serially(sessionId, async () => {
      const before = await this.#read(sessionId);
      if (!before || before.owner === null || (owner !== undefined && before.owner !== owner)) return;
      const { keys, values } = this.parts;
      const ended = JSON.stringify({ ...before, owner: null });
      await values.put(keys.lease(sessionId), ended, { expirationTtl: REMEMBERED_SECONDS });
    });
  }

  /** The epoch under which `owner` holds the id; `undefined` when it does not. Whoever still stands as holder holds. */
  async epochOf(sessionId: string, owner: string): Promise<number | undefined> {
    const lease = await this.#read(sessionId);
    return lease?.owner === owner ? lease.epoch : undefined;
  }

  async isHeld(sessionId: string): Promise<boolean> {
    return (await this.holder(sessionId)) !== null;
  }

  async holder(sessionId: string): Promise<LeaseHolder | null> {
    const lease = await this.#read(sessionId);
    if (!lease || lease.owner === null || !this.#isLive(lease)) return null;
    const { owner, epoch, since, expiresAt } = lease;
    return { owner, epoch, since: isoTime(since), takeableAt: isoTime(expiresAt + GRACE_MS) };
  }

  #serially<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    return this.parts.queues.run(this.parts.keys.lease(sessionId), work);
  }

  async #read(sessionId: string): Promise<StoredLease | null> {
    const text = await this.parts.values.get(this.parts.keys.lease(sessionId));
    return text === null ? null : (JSON.parse(text) as StoredLease);
  }

  #write(sessionId: string, lease: StoredLease, ttlMs: number): Promise<PutOutcome> {
    const { keys, values } = this.parts;
    const expirationTtl = REMEMBERED_SECONDS + Math.ceil(ttlMs / 1_000);
    return values.putNow(keys.lease(sessionId), JSON.stringify(lease), { expirationTtl });
  }

  async #isStill(sessionId: string, { token }: StoredLease): Promise<boolean> {
    await this.parts.sleep(SETTLE_MS);
    return (await this.#read(sessionId))?.token === token;
  }

  #taken(before: StoredLease | null, owner: string, ttlMs: number): StoredLease {
    const now = this.parts.clock.now();
    // Where the last lease is forgotten, the epochs go on from the time: no later one is smaller.
    const epoch = Math.max((before?.epoch ?? 0) + 1, Math.floor(now));
    return { owner, epoch, expiresAt: now + ttlMs, since: now, token: crypto.randomUUID() };
  }

  #renewed(before: StoredLease, ttlMs: number): StoredLease {
    return { ...before, expiresAt: this.parts.clock.now() + ttlMs, token: crypto.randomUUID() };
  }

  #isLive({ expiresAt }: StoredLease): boolean {
    return this.parts.clock.now() < expiresAt + GRACE_MS;
  }

  /** A renewal that comes late may meet somebody who takes the lease over. */
  #isInTime({ expiresAt }: StoredLease): boolean {
    return this.parts.clock.now() < expiresAt;
  }
}
