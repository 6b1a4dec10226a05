import { type Checkpoint, type CheckpointStatus, isPartKey, statusOf } from '../contract/index.js';

/**
 * The status of a run's last save. The answer of a turn is its session's to commit, that of a task its lead's to take. Until then the
 * record stays unfinished behind its `finishReason`: no store may prune it, and whoever looks for work finds it.
 */
export function endStatus(sessionId: string | undefined): CheckpointStatus {
  return sessionId !== undefined && isPartKey(sessionId) ? 'in-progress' : 'finished';
}

/** Whether a stored run has come to its end, taken or not. Nothing of it is left to run. */
export function hasEnded(stored: Checkpoint): boolean {
  return (
    statusOf(stored) === 'finished' || (isPartKey(stored.sessionId) && stored.finishReason !== undefined)
  );
}
