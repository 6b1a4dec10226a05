import {
  type Checkpoint,
  type CheckpointStore,
  type Clock,
  markOwnerEnded,
  type SaveOptions,
} from '../contract/index.js';
import type { Logger } from '../ports/index.js';
import { leaseLost } from './busy-error.js';

/** A run's right to advance its session, as the effects see it. */
export interface RunLease {
  /** The fencing token, where the store mints one. */
  readonly epoch: number | undefined;
  /** Fires when the lease is known to be lost. */
  readonly lost: AbortSignal;
  /** Resolves while the lease is held; rejects with `LOUSHO_SESSION_BUSY` otherwise. Asked before every model and tool call. */
  assertHeld(): Promise<void>;
  /** Asks the store itself, whatever was confirmed before; rejects with `LOUSHO_SESSION_BUSY` when the lease is not held. */
  confirmHeld(): Promise<void>;
  /** Saves while the lease is held; rejects with `LOUSHO_SESSION_BUSY`, and writes nothing, otherwise. */
  save(checkpoint: Checkpoint, options: SaveOptions): Promise<void>;
  release(): Promise<void>;
}

export interface HeldLeaseParts {
  readonly store: CheckpointStore;
  readonly sessionId: string;
  /** Used for this acquisition only. */
  readonly owner: string;
  readonly epoch: number | undefined;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told once, when the lease is found lost. */
  readonly onLost?: (() => void) | undefined;
  /** Tells the keeper that there is nothing to renew any more. */
  readonly onEnd: () => void;
}

/** A lease that was taken in the store. */
export class HeldLease implements RunLease {
  readonly epoch: number | undefined;
  readonly sessionId: string;
  readonly owner: string;
  readonly #parts: HeldLeaseParts;
  #isLost = false;
  /** Made for the first who wants to be told. */
  #lost: AbortController | undefined;
  #confirmed: Reading;

  constructor(parts: HeldLeaseParts, askedAt: Reading) {
    this.#parts = parts;
    this.epoch = parts.epoch;
    this.sessionId = parts.sessionId;
    this.owner = parts.owner;
    this.#confirmed = askedAt;
  }

  get lost(): AbortSignal {
    if (this.#lost) return this.#lost.signal;
    this.#lost = new AbortController();
    if (this.#isLost) this.#lost.abort(this.#reason());
    return this.#lost.signal;
  }

  /** The store has confirmed the lease in answer to a question asked at `askedAt`. */
  confirm(askedAt: Reading): void {
    if (askedAt.monotonic > this.#confirmed.monotonic) this.#confirmed = askedAt;
  }

  markLost(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lost?.abort(this.#reason());
    this.#parts.onLost?.();
  }

  async assertHeld(): Promise<void> {
    // Within the ttl of the last confirmation nobody can have taken it over. Later (the process was stopped, the loop was blocked)
    // only the store knows, not this process's arithmetic; and an answer that was long on its way says nothing about now.
    while (!this.#isLost && !this.#isWithinTtl()) await this.renew();
    if (this.#isLost) throw await this.#lostError();
  }

  async confirmHeld(): Promise<void> {
    if (!this.#isLost) await this.renew();
    await this.assertHeld();
  }

  async save(checkpoint: Checkpoint, options: SaveOptions): Promise<void> {
    if (this.#isLost) throw await this.#lostError();
    if (!(await this.#write(checkpoint, options))) {
      this.markLost();
      throw await this.#lostError();
    }
  }

  /** Renews in the store, or finds the lease lost. */
  async renew(): Promise<void> {
    const { store, ttlMs, clock } = this.#parts;
    const askedAt = readClock(clock);
    const answer = store.renewLease
      ? await store.renewLease(this.sessionId, this.owner, ttlMs)
      : await store.acquireLease?.(this.sessionId, this.owner, ttlMs);
    // A taken lease comes with another epoch: in between, somebody else had the id and may have finished the run.
    const wasRetaken = typeof answer === 'object' && answer.epoch !== this.epoch;
    if (wasRetaken) await store.releaseLease?.(this.sessionId, this.owner);
    if (answer === false || wasRetaken) this.markLost();
    else this.confirm(askedAt);
  }

  async release(): Promise<void> {
    this.#parts.onEnd();
    if (this.#isLost) return;
    try {
      await this.#parts.store.releaseLease?.(this.sessionId, this.owner);
    } catch (error) {
      // What the run came to is saved; the lease is free once it expires, or at once for this process.
      markOwnerEnded(this.owner);
      this.#parts.logger.warn(`lousho: the lease of session ${this.sessionId} could not be released`, error);
    }
  }

  async #write(checkpoint: Checkpoint, options: SaveOptions): Promise<boolean> {
    const { store } = this.#parts;
    if (store.saveIfLeased) return store.saveIfLeased(this.sessionId, checkpoint, this.owner, options);
    // A store without fenced saves: taking the lease again right before leaves only a short window.
    await this.renew();
    if (this.#isLost) return false;
    await store.save(this.sessionId, checkpoint, options);
    return true;
  }

  #isWithinTtl(): boolean {
    const now = readClock(this.#parts.clock);
    // The monotonic clock stands still while a host sleeps, the wall clock does not: the larger one counts.
    const elapsed = Math.max(now.monotonic - this.#confirmed.monotonic, now.wall - this.#confirmed.wall);
    return elapsed < this.#parts.ttlMs;
  }

  #reason(): Error {
    return new Error(`lease of ${this.sessionId} lost`);
  }

  #lostError(): Promise<Error> {
    return leaseLost(this.#parts.store, this.sessionId);
  }
}

export interface Reading {
  readonly monotonic: number;
  readonly wall: number;
}

export function readClock(clock: Clock): Reading {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** The lease of a run on a store without leases: the last save wins. */
export function unleased(store: CheckpointStore, sessionId: string): RunLease {
  return {
    epoch: undefined,
    lost: new AbortController().signal,
    assertHeld: async () => undefined,
    confirmHeld: async () => undefined,
    save: (checkpoint, options) => store.save(sessionId, checkpoint, options),
    release: async () => undefined,
  };
}
