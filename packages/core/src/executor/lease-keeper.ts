import { type CheckpointStore, expected, markOwnerEnded } from '../contract/index.js';
import type { Ids, Logger, Timers } from '../ports/index.js';
import { heldElsewhere } from './busy-error.js';
import { HeldLease, type RunLease, readClock, unleased } from './held-lease.js';

export interface LeaseTiming {
  /** How long a lease lives without a renewal. Default 30,000 ms. */
  readonly ttlMs?: number;
  /** How often the leases of a process are renewed. Default 10,000 ms, a third of the ttl. */
  readonly renewEveryMs?: number;
}

export interface LeasePorts {
  readonly timers: Timers;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** 30 s, renewed every 10 s: two renewals may fail before another process can take over. */
export const DEFAULT_TTL_MS = 30_000;

/** Rejects with `LOUSHO_CONFIG_INVALID`; fills in what is not given. */
export function leaseTiming(timing: LeaseTiming | undefined): Required<LeaseTiming> {
  const ttlMs = timing?.ttlMs ?? DEFAULT_TTL_MS;
  if (!Number.isFinite(ttlMs) || ttlMs <= 0)
    throw expected('lease.ttlMs', 'a number of milliseconds > 0', ttlMs);
  const renewEveryMs = timing?.renewEveryMs ?? Math.ceil(ttlMs / 3);
  if (!Number.isFinite(renewEveryMs) || renewEveryMs <= 0 || renewEveryMs >= ttlMs) {
    throw expected(
      'lease.renewEveryMs',
      `a number of milliseconds above 0 and below the ttl of ${ttlMs}`,
      renewEveryMs,
    );
  }
  return { ttlMs, renewEveryMs };
}

/** What the keeper knows of a lease that it renews. */
interface Beating {
  /** When its renewal was last asked for, by the monotonic clock. */
  askedAt: number;
  stop: () => void;
}

/**
 * Takes and renews the leases of one store for all runs of this process: one round trip a beat. The timers run on the runs' own event
 * loop, so that a run that is stuck loses its lease.
 *
 * Each lease has a timer, begun by the call that takes it: a Worker ends a timer with the request that began it, whoever relies on it. The
 * first one that is due asks for all that are about to be, and the others find it done.
 */
export class LeaseKeeper {
  static readonly #keepers = new WeakMap<CheckpointStore, LeaseKeeper[]>();

  /** The keeper of a store: agents that share the store, the timing and the timers share its beats. */
  static of(store: CheckpointStore, timing: Required<LeaseTiming>, ports: LeasePorts): LeaseKeeper {
    const known = LeaseKeeper.#keepers.get(store) ?? [];
    const same = known.find(
      (keeper) =>
        keeper.timing.ttlMs === timing.ttlMs &&
        keeper.timing.renewEveryMs === timing.renewEveryMs &&
        keeper.ports.timers === ports.timers &&
        keeper.ports.ids === ports.ids,
    );
    if (same) return same;
    const keeper = new LeaseKeeper(store, timing, ports);
    LeaseKeeper.#keepers.set(store, [...known, keeper]);
    return keeper;
  }

  readonly #held = new Map<HeldLease, Beating>();

  private constructor(
    readonly store: CheckpointStore,
    readonly timing: Required<LeaseTiming>,
    readonly ports: LeasePorts,
  ) {}

  /** A lease for one run. Rejects with `LOUSHO_SESSION_BUSY` when another owner holds the id, and says who. */
  async acquire(sessionId: string, onLost?: () => void): Promise<RunLease> {
    const lease = await this.tryAcquire(sessionId, onLost);
    if (!lease) throw await heldElsewhere(this.store, sessionId);
    return lease;
  }

  /** The same; `null` when another owner holds the id. */
  async tryAcquire(sessionId: string, onLost?: () => void): Promise<RunLease | null> {
    const { store } = this;
    if (!store.acquireLease) return unleased(store, sessionId);
    const owner = this.ports.ids.next();
    const askedAt = readClock(this.ports.timers);
    const answer = await this.#ask(sessionId, owner);
    if (answer === false) return null;
    const lease = new HeldLease(
      {
        store,
        sessionId,
        owner,
        epoch: answer === true ? undefined : answer.epoch,
        ttlMs: this.timing.ttlMs,
        clock: this.ports.timers,
        logger: this.ports.logger,
        onLost,
        onEnd: () => this.#drop(lease),
      },
      askedAt,
    );
    await this.#assertFresh(lease);
    this.#held.set(lease, { askedAt: askedAt.monotonic, stop: () => undefined });
    if (store.renewLeases || store.renewLease) this.#wakeIn(lease, this.timing.renewEveryMs);
    return lease;
  }

  async #ask(sessionId: string, owner: string) {
    const { store } = this;
    try {
      return (await store.acquireLease?.(sessionId, owner, this.timing.ttlMs)) ?? true;
    } catch (error) {
      // The reply may have been lost behind a lease that was taken: nobody will ever use this owner.
      markOwnerEnded(owner);
      await store.releaseLease?.(sessionId, owner).catch(() => undefined);
      throw error;
    }
  }

  /** A lease whose answer took long may have run out on the way. */
  async #assertFresh(lease: HeldLease): Promise<void> {
    try {
      await lease.assertHeld();
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  #drop(lease: HeldLease): void {
    this.#held.get(lease)?.stop();
    this.#held.delete(lease);
  }

  #wakeIn(lease: HeldLease, ms: number): void {
    const beating = this.#held.get(lease);
    if (beating) beating.stop = this.ports.timers.schedule(() => this.#wake(lease, beating), ms);
  }

  #wake(lease: HeldLease, { askedAt }: Beating): void {
    const { renewEveryMs } = this.timing;
    const dueInMs = askedAt + renewEveryMs - this.ports.timers.monotonic();
    // Not after the reply: one that never comes must not end the beats.
    this.#wakeIn(lease, dueInMs > 0 ? dueInMs : renewEveryMs);
    if (dueInMs <= 0) void this.#beat();
  }

  /** For all leases that are half way to their next renewal, or further. */
  async #beat(): Promise<void> {
    const now = this.ports.timers.monotonic();
    const due = [...this.#held].filter(([, { askedAt }]) => now - askedAt >= this.timing.renewEveryMs / 2);
    for (const [, beating] of due) beating.askedAt = now;
    const leases = due.map(([lease]) => lease);
    try {
      await this.#renew(leases);
    } catch (error) {
      // Not proof of a loss: the next beat tries again, and a call that starts after the ttl asks the store itself.
      this.ports.logger.warn(`lousho: the leases of ${leases.length} run(s) could not be renewed`, error);
    }
  }

  async #renew(leases: readonly HeldLease[]): Promise<void> {
    if (!this.store.renewLeases) {
      await Promise.all(leases.map((lease) => lease.renew()));
      return;
    }
    const askedAt = readClock(this.ports.timers);
    const refs = leases.map(({ sessionId, owner }) => ({ sessionId, owner }));
    const answers = await this.store.renewLeases(refs, this.timing.ttlMs);
    leases.forEach((lease, index) => {
      if (answers[index] === true) lease.confirm(askedAt);
      // A lease that was released while the beat was on its way is not lost.
      else if (this.#held.has(lease)) lease.markLost();
    });
  }
}
