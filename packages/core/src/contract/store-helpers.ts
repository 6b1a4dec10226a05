import { type Checkpoint, statusOf } from './checkpoint.js';
import { assertPage } from './checkpoint-checks.js';
import type { CheckpointListing, CheckpointStore, HistoryEntry, ListFilter } from './checkpoint-store.js';

import { compareIds } from './ids.js';

/**
 * The kept saves of an id, newest first; `undefined` where the store keeps no history. Rejects with what `history()` rejects with,
 * `LOUSHO_CONFIG_INVALID` for a `limit` that is no whole number among it.
 */
export async function getCheckpointHistory(
  store: CheckpointStore,
  sessionId: string,
  options: { readonly limit?: number } = {},
): Promise<readonly HistoryEntry[] | undefined> {
  return store.history?.(sessionId, options);
}

/**
 * What `list()` of a store gives, made of all its latest checkpoints: filtered, by id in code-point order. For stores of your own.
 * Throws `LOUSHO_CONFIG_INVALID` for a filter that is none.
 */
export function listCheckpoints(
  entries: Iterable<{ readonly sessionId: string; readonly checkpoint: Checkpoint }>,
  filter: ListFilter = {},
): readonly CheckpointListing[] {
  assertPage(filter);
  const { status, after = '', limit } = filter;
  return [...entries]
    .map(({ sessionId, checkpoint }) => ({ sessionId, status: statusOf(checkpoint), checkpoint }))
    .filter((entry) => compareIds(entry.sessionId, after) > 0 && (status ?? entry.status) === entry.status)
    .sort((a, b) => compareIds(a.sessionId, b.sessionId))
    .slice(0, limit);
}
