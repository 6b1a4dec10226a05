import {
  type ApprovalStore,
  type Checkpoint,
  isoTime,
  SDKError,
  SessionAwaitingApprovalError,
  SessionBusyError,
  statusOf,
} from '../../contract/index.js';
import { assertNotMoved } from '../../executor/admission-checks.js';
import { withDecisions } from '../../executor/decisions.js';
import type { ExecuteOptions } from '../../executor/execute-options.js';
import { execute } from '../../executor/execute-plan.js';
import type { Execution, TurnDuties } from '../../executor/execution.js';
import type { ExecutionResult } from '../../executor/execution-result.js';
import type { RunLease } from '../../executor/held-lease.js';
import type { RunInput } from '../../executor/run-input.js';
import { planTurn } from '../../executor/run-plan.js';
import { reported } from '../../executor/run-report.js';
import { hasEnded } from '../../run/ended.js';
import { removeLeftTurns } from './left-turns.js';
import { nullIfCorrupt } from './null-if-corrupt.js';
import { pausedKey } from './session-keys.js';
import type { Transcript, Transcripts } from './transcripts.js';

export interface SessionTurnsParts {
  readonly sessionId: string;
  readonly transcripts: Transcripts;
  readonly approvals: ApprovalStore | undefined;
  /** What every turn runs with, beside its input and its key. */
  readonly options: Omit<ExecuteOptions, 'input' | 'sessionId'>;
  /** The lease of a turn. Rejects with `LOUSHO_SESSION_BUSY`. */
  acquire(turn: string): Promise<RunLease>;
}

type Call = Omit<Execution, 'plan' | 'turn'>;

/** The turns of one session: each a durable run behind the committed transcript. */
export class SessionTurns {
  constructor(readonly parts: SessionTurnsParts) {}

  /** Finishes what is pending, then runs the input as the next turn. */
  async send(input: RunInput, call: Call): Promise<ExecutionResult> {
    for (;;) {
      const before = await this.parts.transcripts.load(this.parts.sessionId);
      const pending = await this.stored(before);
      if (pending === null) return this.#begin(before, input, call);
      if (pending.lastError?.retryable === false) throw this.#failedForGood(pending);
      const settled = await this.#settle(before, pending, this.#silent());
      if (settled?.finishReason === 'aborted') return settled;
      if (settled?.finishReason === 'awaiting-approval') throw this.#awaiting(before, settled);
    }
  }

  /** Finishes an interrupted turn; `null` when nothing was left to run. */
  async resume(call: Call): Promise<ExecutionResult | null> {
    const before = await this.parts.transcripts.load(this.parts.sessionId);
    const pending = await this.stored(before);
    if (pending) return this.#settle(before, pending, call);
    const { sessionId, transcripts, acquire } = this.parts;
    await removeLeftTurns({ sessionId, transcripts, acquire });
    return null;
  }

  /** The turn behind the transcript, with the decisions that were given since it was saved. */
  async stored(before: Transcript): Promise<Checkpoint | null> {
    const stored = await this.parts.transcripts.checkpoints.load(before.nextTurn);
    assertNotMoved(stored);
    return stored && withDecisions(this.parts.approvals, stored);
  }

  /** Rejects with `LOUSHO_SESSION_AWAITING_APPROVAL` while the turn waits for a person. */
  async assertNotPaused(before: Transcript): Promise<void> {
    const pending = await nullIfCorrupt(this.stored(before));
    if (pending && statusOf(pending) === 'awaiting-approval') throw this.#awaiting(before, pending);
  }

  /**
   * What becomes of a turn when its run has stopped: it is committed, unless it waits for a person, or was aborted by a call that did
   * not begin it. The recovery that is stopped must not end the turn of somebody else: it stays for the next start.
   */
  async settled(
    before: Transcript,
    result: ExecutionResult,
    { endsWithAbort = false }: { readonly endsWithAbort?: boolean } = {},
  ): Promise<ExecutionResult> {
    const { sessionId, transcripts } = this.parts;
    const { finishReason } = result;
    const isOver = finishReason === 'aborted' ? endsWithAbort : finishReason !== 'awaiting-approval';
    if (isOver) await transcripts.commit(sessionId, before, result);
    return { ...result, sessionId };
  }

  async #settle(before: Transcript, pending: Checkpoint, call: Call): Promise<ExecutionResult | null> {
    if (hasEnded(pending)) {
      // Its process ended between finish and commit: nothing is left to run.
      await this.parts.transcripts.commit(this.parts.sessionId, before, pending);
      return null;
    }
    if (statusOf(pending) === 'awaiting-approval') {
      await this.#markPaused(before, pending.approvalId);
      throw this.#awaiting(before, pending);
    }
    // `null` when another process has finished and committed it since it was looked at.
    return reported(this.#goingOn(before, call), async (execution) => {
      const result = await execute(execution);
      return result && this.settled(before, result);
    });
  }

  async #begin(before: Transcript, input: RunInput, call: Call): Promise<ExecutionResult> {
    return reported(this.#execution(before, input, call), async (execution) => {
      const result = await execute(execution);
      if (result) return this.settled(before, result, { endsWithAbort: true });
      throw new SDKError(
        'LOUSHO_CONFIG_MISSING_INPUT',
        `Expected an input for session ${this.parts.sessionId}, got none`,
      );
    });
  }

  /** A turn that is finished on the way to another one tells nobody. */
  #silent(): Call {
    const { ports } = this.parts.options;
    return { runId: ports?.ids?.next() ?? crypto.randomUUID(), emit: () => undefined, streamsText: false };
  }

  /** The metadata that a call brings are about its own turn, not about the one that it finishes first. */
  #goingOn(before: Transcript, call: Call): Execution {
    const { metadata: _, ...options } = this.parts.options;
    return this.#execution(before, [], call, options);
  }

  #execution(before: Transcript, input: RunInput, call: Call, options = this.parts.options): Execution {
    const plan = planTurn({ ...options, input, sessionId: before.nextTurn }, before.messages);
    const isNew = plan.input.length > 0;
    const turn: TurnDuties = {
      sessionId: this.parts.sessionId,
      confirm: (stored) => this.assertCurrent(before, isNew && stored !== null),
      beforePause: (approvalId) => this.#markPaused(before, approvalId),
      endsWithAbort: isNew,
    };
    return { ...call, plan, turn };
  }

  /**
   * Another process may have committed between the look at the transcript and the lease. Rejects with `LOUSHO_SESSION_BUSY` then: a
   * turn runs on what is committed, or not at all.
   */
  async assertCurrent(before: Transcript, isTaken = false): Promise<void> {
    const { sessionId, transcripts } = this.parts;
    const { revision } = await transcripts.load(sessionId);
    if (isTaken || revision !== before.revision) {
      throw new SessionBusyError(
        sessionId,
        `session ${sessionId} has gone on elsewhere meanwhile; nothing was run`,
      );
    }
  }

  /** Keeps calls that do not know of the turn from going past its question: a run under the session's own id. */
  async #markPaused(before: Transcript, approvalId: string | undefined): Promise<void> {
    const key = pausedKey(this.parts.sessionId);
    await this.parts.transcripts.checkpoints.save(key, {
      sessionId: key,
      stepIndex: 0,
      messages: [],
      status: 'awaiting-approval',
      metadata: { turn: before.nextTurn },
      ...(approvalId !== undefined && { approvalId }),
    });
  }

  #awaiting(before: Transcript, { approvalId, ...rest }: Pick<Checkpoint, 'approvalId' | 'approvalKind'>) {
    return new SessionAwaitingApprovalError({
      sessionId: this.parts.sessionId,
      checkpointId: before.nextTurn,
      approvalId,
      approvalKind: rest.approvalKind,
    });
  }

  #failedForGood({ lastError }: Checkpoint): SDKError {
    const at = lastError?.at ?? isoTime(0);
    return new SDKError(
      'LOUSHO_SESSION_TURN_FAILED',
      `the pending turn of session ${this.parts.sessionId} failed for good at ${at}: ${lastError?.message}; discardPending() drops it`,
    );
  }
}
