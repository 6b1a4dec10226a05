import type { Checkpoint } from './checkpoint.js';
import type { CheckpointStore, ListFilter, SaveOptions } from './checkpoint-store.js';
import * as checks from './checks.js';
import { expected, expectedKind } from './errors.js';
import { assertStoreKey } from './ids.js';

const STATUSES: readonly unknown[] = [undefined, 'in-progress', 'awaiting-approval', 'finished'];

/** Refuses what is not a checkpoint of this id; values inside are the codec's concern. */
export function assertCheckpoint(sessionId: unknown, checkpoint: unknown): asserts checkpoint is Checkpoint {
  assertStoreKey(sessionId);
  const record = checks.record('checkpoint', checkpoint) as Partial<Checkpoint>;
  if (record.sessionId !== sessionId) {
    throw expected('checkpoint.sessionId', `\`${sessionId}\`, the id it is saved under`, record.sessionId);
  }
  if (!Array.isArray(record.messages)) throw expectedKind('checkpoint.messages', 'an array', record.messages);
  checks.wholeNumber('checkpoint.stepIndex', record.stepIndex);
  if (record.revision !== undefined) checks.positiveInteger('checkpoint.revision', record.revision);
  if (!STATUSES.includes(record.status)) {
    throw expected('checkpoint.status', 'in-progress, awaiting-approval or finished', record.status);
  }
}

export function assertSaveOptions(checkpoint: Checkpoint, options: SaveOptions | undefined): number {
  const unchanged = options?.unchangedMessages ?? 0;
  checks.wholeNumber('unchangedMessages', unchanged);
  if (unchanged > checkpoint.messages.length) {
    throw expected(
      'unchangedMessages',
      `at most ${checkpoint.messages.length}, the number of messages`,
      unchanged,
    );
  }
  return unchanged;
}

export function assertPage(page: ListFilter | undefined): void {
  if (page?.limit !== undefined) checks.wholeNumber('limit', page.limit);
  if (page?.after !== undefined && typeof page.after !== 'string')
    throw expected('after', 'an id', page.after);
  if (!STATUSES.includes(page?.status)) {
    throw expected('status', 'in-progress, awaiting-approval or finished', page?.status);
  }
}

/** Refuses, with `LOUSHO_CONFIG_INVALID`, what does not have the three methods that every store needs. */
export function assertCheckpointStore(store: unknown): asserts store is CheckpointStore {
  const record = checks.record('checkpoints', store) as Record<string, unknown>;
  for (const method of ['save', 'load', 'delete']) {
    if (typeof record[method] !== 'function') {
      throw expected(
        `checkpoints.${method}`,
        'a function: a store has save, load and delete',
        record[method],
      );
    }
  }
}
