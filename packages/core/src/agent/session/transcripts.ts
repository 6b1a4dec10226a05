import {
  type Checkpoint,
  type CheckpointStore,
  encode,
  type Message,
  SessionBusyError,
  type SessionRecord,
  type SessionStore,
} from '../../contract/index.js';
import { withoutSystem } from '../../run/input.js';
import { repairEarlierTurns } from '../../run/transcript.js';
import { turnKey } from '../../run/turn-key.js';
import { pausedKey } from './session-keys.js';

/** A session's transcript as it stands, and the key of the turn that comes next. */
export interface Transcript {
  readonly revision: number;
  readonly messages: readonly Message[];
  readonly nextTurn: string;
}

/** The committed transcripts of sessions, and the checkpoints of their turns. */
export class Transcripts {
  constructor(
    readonly sessions: SessionStore,
    readonly checkpoints: CheckpointStore,
  ) {}

  /** Read anew for every call: another process may have committed. */
  async load(sessionId: string): Promise<Transcript> {
    const record: SessionRecord | null = await this.sessions.load(sessionId);
    const messages = record?.messages ?? [];
    return { revision: record?.revision ?? 0, messages, nextTurn: turnKey(sessionId, messages.length) };
  }

  /**
   * Puts a settled turn into the transcript, as one compare-and-set, and drops its checkpoint; its history stays. Rejects with
   * `LOUSHO_SESSION_BUSY` when the transcript has gone another way meanwhile: the late turn is not added.
   */
  async commit(sessionId: string, before: Transcript, turn: Pick<Checkpoint, 'messages'>): Promise<void> {
    if (!(await this.sessions.saveIf(sessionId, before.revision, committed(turn)))) {
      // Whoever found the turn finished may have committed it for us.
      this.assertCommitted(sessionId, await this.load(sessionId), turn);
    }
    await this.checkpoints.delete(before.nextTurn, { keepHistory: true });
    await this.checkpoints.delete(pausedKey(sessionId));
  }

  /** Rejects with `LOUSHO_SESSION_BUSY` when the transcript has not gone the way of the turn. */
  assertCommitted(sessionId: string, now: Transcript, turn: Pick<Checkpoint, 'messages'>): void {
    const messages = committed(turn);
    if (encode(now.messages.slice(0, messages.length)) === encode(messages)) return;
    throw new SessionBusyError(
      sessionId,
      `session ${sessionId} went on elsewhere while this turn ran; the turn was not added`,
    );
  }
}

/** What a turn makes of the transcript. */
function committed({ messages }: Pick<Checkpoint, 'messages'>): readonly Message[] {
  return withoutSystem(repairEarlierTurns(messages));
}
