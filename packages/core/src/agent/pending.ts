import {
  type CheckpointListing,
  type CheckpointStore,
  ConfigurationError,
  compareIds,
  type PendingCheckpoint,
  pendingOf,
  statusOf,
} from '../contract/index.js';
import type { PendingCount } from '../ports/index.js';
import { isTaskKey } from '../run/task-key.js';
import { sessionOfTurn } from '../run/turn-key.js';
import type { PendingRun } from './pending-run.js';
import { isPausedKey } from './session/session-keys.js';

const PAGE = 500;

/** The unfinished runs of a store, by checkpoint id. */
export async function listPendingRuns(store: CheckpointStore): Promise<readonly PendingRun[]> {
  const found = await pendingCheckpoints(store);
  return (
    found
      // A sub-agent's record is resumed by its lead alone.
      .filter(({ sessionId }) => !isPausedKey(sessionId) && !isTaskKey(sessionId))
      .toSorted((a, b) => compareIds(a.sessionId, b.sessionId))
      .map(pendingRun)
  );
}

/** As an observer is told of them. */
export function pendingCount(runs: readonly PendingRun[]): PendingCount {
  const awaitingApproval = runs.filter(({ status }) => status === 'awaiting-approval').length;
  return { inProgress: runs.length - awaitingApproval, awaitingApproval };
}

/** From the index of heads where the store has one, otherwise from its whole listing. */
function pendingCheckpoints(store: CheckpointStore): Promise<readonly PendingCheckpoint[]> {
  const { listPending, list } = store;
  if (listPending) return allPages((page) => listPending.call(store, page));
  if (list) return fromListing(() => list.call(store));
  throw cannotList();
}

/** Refuses, with `LOUSHO_CONFIG_INVALID`, a store whose unfinished runs cannot be found. */
export function assertCanList(store: CheckpointStore): void {
  if (!store.listPending && !store.list) throw cannotList();
}

function cannotList(): ConfigurationError {
  return new ConfigurationError(
    'Expected a checkpoint store with listPending() or list(), got one that cannot list',
    { field: 'store' },
  );
}

async function allPages(
  listPage: (page: { after?: string; limit: number }) => Promise<readonly PendingCheckpoint[]>,
): Promise<readonly PendingCheckpoint[]> {
  const all: PendingCheckpoint[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await listPage({ limit: PAGE, ...(last && { after: last.sessionId }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

async function fromListing(
  list: () => Promise<readonly CheckpointListing[]>,
): Promise<readonly PendingCheckpoint[]> {
  const entries = await list();
  return entries
    .filter((entry) => statusOf(entry.checkpoint) !== 'finished')
    .map((entry) => ({ ...pendingOf(entry.checkpoint), sessionId: entry.sessionId }));
}

function pendingRun(checkpoint: PendingCheckpoint): PendingRun {
  const { sessionId: checkpointId, ...rest } = checkpoint;
  const turn = sessionOfTurn(checkpointId);
  return turn === undefined
    ? { sessionId: checkpointId, kind: 'run', checkpointId, ...rest }
    : { sessionId: turn, kind: 'session', checkpointId, ...rest };
}
