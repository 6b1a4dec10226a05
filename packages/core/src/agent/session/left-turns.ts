import { type CheckpointStore, SessionBusyError } from '../../contract/index.js';
import type { RunLease } from '../../executor/held-lease.js';
import { hasEnded } from '../../run/ended.js';
import { turnKey, turnNumber } from '../../run/turn-key.js';
import type { Transcript } from './transcripts.js';

const PAGE = 100;

export interface LeftTurnsParts {
  readonly sessionId: string;
  readonly store: CheckpointStore;
  acquire(key: string): Promise<RunLease>;
}

/**
 * Removes the ended turns that stand before the transcript's end: committed by a process that died before it could remove them, or too
 * late to be added. Their histories stay.
 */
export async function removeLeftTurns(parts: LeftTurnsParts, { messages }: Transcript): Promise<void> {
  for (const key of await pendingTurns(parts)) {
    if (turnNumber(key) < messages.length) await removeIfEnded(parts, key);
  }
}

/** A store that cannot list lists nothing for ever either. */
async function pendingTurns({ store, sessionId }: LeftTurnsParts): Promise<readonly string[]> {
  const prefix = turnKey(sessionId, '');
  const page = (await store.listPending?.({ after: prefix, limit: PAGE })) ?? [];
  return page.map((entry) => entry.sessionId).filter((key) => key.startsWith(prefix));
}

async function removeIfEnded({ store, acquire }: LeftTurnsParts, key: string): Promise<void> {
  try {
    const lease = await acquire(key);
    try {
      const turn = await store.load(key);
      if (turn && hasEnded(turn)) await store.delete(key, { keepHistory: true });
    } finally {
      await lease.release();
    }
  } catch (error) {
    // Whoever holds it will be refused, and somebody else looks again.
    if (!(error instanceof SessionBusyError)) throw error;
  }
}
