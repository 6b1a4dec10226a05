import type { CheckpointStore } from '@lousho/core/contract';
import { checkpoint, contents, user } from './checkpoint.js';

/** What was told to the caller so far. */
export interface Told {
  /** Highest revision that was acknowledged. */
  revision: number;
  epoch: number;
  isDeleted: boolean;
}

/** A run whose save `r` holds the messages `m1` to `m<r>`, so that every stored state says by itself whether it is whole. */
export class GrowingRun {
  readonly told: Told = { revision: 0, epoch: 0, isDeleted: false };

  constructor(
    readonly sessionId: string,
    readonly onTold: (told: Told) => void = () => undefined,
  ) {}

  async acquire(store: CheckpointStore, owner: string, ttlMs = 30_000): Promise<boolean> {
    const lease = await store.acquireLease?.(this.sessionId, owner, ttlMs);
    if (typeof lease !== 'object') return false;
    if (lease.epoch < this.told.epoch) throw new Error(`epoch ${lease.epoch} after ${this.told.epoch}`);
    this.told.epoch = lease.epoch;
    this.onTold(this.told);
    return true;
  }

  async save(store: CheckpointStore, owner: string, revision = this.told.revision + 1): Promise<boolean> {
    const isSaved = await store.saveIfLeased?.(this.sessionId, stateAt(this.sessionId, revision), owner, {
      unchangedMessages: revision - 1,
    });
    if (!isSaved) return false;
    this.told.revision = revision;
    this.told.isDeleted = false;
    this.onTold(this.told);
    return true;
  }
}

export function stateAt(sessionId: string, revision: number) {
  const messages = Array.from({ length: revision }, (_, index) => user(textOf(index + 1)));
  return checkpoint({ sessionId, revision, stepIndex: revision, messages });
}

/** The revision of the stored state after checking that latest save and history are whole. 0 when there is none. */
export async function wholeRevision(store: CheckpointStore, sessionId: string): Promise<number> {
  const found = await store.load(sessionId);
  const revision = found?.revision ?? 0;
  assertWhole(contents(found) ?? [], revision);
  const history = (await store.history?.(sessionId)) ?? [];
  for (const { checkpoint: kept } of history) assertWhole(contents(kept) ?? [], kept.revision ?? -1);
  const revisions = history.map(({ checkpoint: kept }) => kept.revision);
  const wanted = revisions.map((_, index) => revision - index);
  if (found && revisions.join() !== wanted.join()) throw new Error(`history ${revisions} of ${revision}`);
  return revision;
}

function assertWhole(found: readonly string[], revision: number): void {
  const wanted = Array.from({ length: revision }, (_, index) => textOf(index + 1));
  if (found.join() !== wanted.join())
    throw new Error(`revision ${revision} holds ${found.length} messages or others`);
}

/** Of different sizes, some over a disk block. */
function textOf(number: number): string {
  return `m${number}:ä€😀`.padEnd(40 + 300 * (number % 3), '.');
}
