import { type Clock, isoTime, type Lease, type LeaseHolder, type LeaseRef } from '@lousho/core/contract';
import { processIdentity } from '@lousho/core/node';
import type { Keys } from './keys.js';
import { ACQUIRE, READ_LEASE, RELEASE, RENEW } from './lease-scripts.js';
import type { RedisLink } from './redis-link.js';

/** Leases of one script: more would keep other clients waiting. */
const BATCH = 500;

/** Who may advance which id, by the server's time. */
export class LeaseRecords {
  constructor(
    readonly link: RedisLink,
    readonly keys: Keys,
    readonly clock: Clock | undefined,
  ) {}

  async acquire(sessionId: string, owner: string, ttlMs: number): Promise<false | Lease> {
    const { host, pid } = processIdentity();
    const args = [this.#now(), JSON.stringify(owner), ttlMs, JSON.stringify({ host, pid })];
    const keys = [this.keys.lease(sessionId)];
    const epoch = await this.link.run({ script: ACQUIRE, keys, args, effect: 'write' });
    return epoch === null ? false : { epoch: Number(epoch) };
  }

  async renew(leases: readonly LeaseRef[], ttlMs: number): Promise<boolean[]> {
    // The leases of a cluster are in many slots, and a script sees one.
    const size = this.link.client.isCluster ? 1 : BATCH;
    const batches = Array.from({ length: Math.ceil(leases.length / size) }, (_, at) =>
      this.#renewTogether(leases.slice(at * size, (at + 1) * size), ttlMs),
    );
    return (await Promise.all(batches)).flat();
  }

  async release(sessionId: string, owner: string): Promise<void> {
    const keys = this.keys.run(sessionId).slice(0, 2);
    await this.link.run({ script: RELEASE, keys, args: [JSON.stringify(owner)], effect: 'write' });
  }

  async read(sessionId: string): Promise<LeaseHolder | null> {
    const keys = [this.keys.lease(sessionId)];
    const reply = await this.link.run({ script: READ_LEASE, keys, args: [this.#now()], effect: 'idle' });
    if (!reply) return null;
    const [owner, epoch, expiresAt, since, holder] = reply as [string, string, string, string, string];
    return {
      owner: JSON.parse(owner) as string,
      epoch: Number(epoch),
      ...(JSON.parse(holder) as Pick<LeaseHolder, 'host' | 'pid'>),
      since: isoTime(Number(since)),
      takeableAt: isoTime(Number(expiresAt)),
    };
  }

  async #renewTogether(leases: readonly LeaseRef[], ttlMs: number): Promise<boolean[]> {
    const keys = leases.map(({ sessionId }) => this.keys.lease(sessionId));
    const args = [this.#now(), ttlMs, ...leases.map(({ owner }) => JSON.stringify(owner))];
    const answers = await this.link.run({ script: RENEW, keys, args, effect: 'write' });
    return (answers as unknown[]).map((answer) => Number(answer) === 1);
  }

  #now(): number | '' {
    return this.clock?.now() ?? '';
  }
}
