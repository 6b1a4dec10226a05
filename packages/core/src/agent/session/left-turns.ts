import { SessionBusyError } from '../../contract/index.js';
import type { RunLease } from '../../executor/held-lease.js';
import { hasEnded } from '../../run/ended.js';
import { turnNumber, turnPrefix } from '../../run/turn-key.js';
import type { Transcripts } from './transcripts.js';

const PAGE = 100;

export interface LeftTurnsParts {
  readonly sessionId: string;
  readonly transcripts: Transcripts;
  acquire(key: string): Promise<RunLease>;
}

/**
 * Removes the ended turns that stand before the transcript's end: committed by a process that died before it could remove them, or too
 * late to be added. Their histories stay.
 */
export async function removeLeftTurns(parts: LeftTurnsParts): Promise<void> {
  for (const key of await pendingTurns(parts)) await removeIfLeft(parts, key);
}

/** Where nothing can be listed, nothing is listed as pending either. */
async function pendingTurns({ transcripts, sessionId }: LeftTurnsParts): Promise<readonly string[]> {
  const { checkpoints } = transcripts;
  const prefix = turnPrefix(sessionId);
  const page = { after: prefix, limit: PAGE };
  const found = (await checkpoints.listPending?.(page)) ?? (await checkpoints.list?.(page)) ?? [];
  return found.map((entry) => entry.sessionId).filter((key) => key.startsWith(prefix));
}

/** Judged under the turn's lease: a conversation that was cleared meanwhile may have begun the same turn again. */
async function removeIfLeft({ transcripts, sessionId, acquire }: LeftTurnsParts, key: string): Promise<void> {
  try {
    const lease = await acquire(key);
    try {
      const turn = await transcripts.checkpoints.load(key);
      if (!turn || !hasEnded(turn)) return;
      const { messages } = await transcripts.load(sessionId);
      if (turnNumber(key) < messages.length) await transcripts.checkpoints.delete(key, { keepHistory: true });
    } finally {
      await lease.release();
    }
  } catch (error) {
    // Whoever holds it will be refused, and somebody else looks again.
    if (!(error instanceof SessionBusyError)) throw error;
  }
}
