import { type CheckpointStore, SessionBusyError } from '../../contract/index.js';

/** Long enough for the records of one id; renewed while it takes longer. */
const TTL_MS = 30_000;
const RENEW_EVERY_MS = 10_000;

/** The lease of one id, or nothing where the store has no leases. */
export class HeldId {
  #renewedAt = performance.now();

  private constructor(
    readonly store: CheckpointStore,
    readonly sessionId: string,
    readonly owner: string,
  ) {}

  /** Rejects with `LOUSHO_SESSION_BUSY` while another owner holds the id. */
  static async take(store: CheckpointStore, sessionId: string, owner: string): Promise<HeldId> {
    // A copy that was killed may have held it under either name.
    for (const name of [owner, otherName(owner)]) {
      const isGranted = !store.acquireLease || (await store.acquireLease(sessionId, name, TTL_MS)) !== false;
      if (isGranted) return new HeldId(store, sessionId, name);
    }
    throw new SessionBusyError(sessionId, `session ${sessionId} is held by another run`);
  }

  /** The id under a new lease of one's own. */
  async takeAnew(): Promise<HeldId> {
    await this.release();
    return HeldId.take(this.store, this.sessionId, otherName(this.owner));
  }

  /** Rejects with `LOUSHO_SESSION_BUSY` when the lease was lost. */
  async stillHeld(): Promise<void> {
    if (!this.store.renewLease || performance.now() - this.#renewedAt < RENEW_EVERY_MS) return;
    if (!(await this.store.renewLease(this.sessionId, this.owner, TTL_MS))) throw this.#lost();
    this.#renewedAt = performance.now();
  }

  async save(checkpoint: Parameters<CheckpointStore['save']>[1], unchangedMessages = 0): Promise<void> {
    await this.stillHeld();
    const { store, sessionId, owner } = this;
    if (!store.saveIfLeased) return store.save(sessionId, checkpoint);
    if (!(await store.saveIfLeased(sessionId, checkpoint, owner, { unchangedMessages }))) throw this.#lost();
  }

  async release(): Promise<void> {
    await this.store.releaseLease?.(this.sessionId, this.owner);
  }

  #lost(): SessionBusyError {
    return new SessionBusyError(
      this.sessionId,
      `session ${this.sessionId} was taken over while it was copied`,
    );
  }
}

const OTHER = '.again';

function otherName(owner: string): string {
  return owner.endsWith(OTHER) ? owner.slice(0, -OTHER.length) : `${owner}${OTHER}`;
}
