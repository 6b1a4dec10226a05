import type { Message } from '../../contract/index.js';
import type { AgentRun } from '../../executor/agent-run.js';
import type { ExecutionResult } from '../../executor/execution-result.js';
import type { RunInput } from '../../executor/run-input.js';
import type { SessionStep } from './session-steps.js';

/** What `send()` does while another turn of the session goes on in this process. */
export type TurnPolicy = 'wait' | 'queue' | 'steer';

export interface SessionOptions {
  /** Default: a new one. */
  readonly id?: string;
  /**
   * `wait` (the default): each call of `send()` is a turn of its own, after those before it. `queue`: it joins the turn that goes on, at
   * its next step; `steer`: as a steer. It resolves as that turn does. One that comes too late, or has options of its own, is a turn of
   * its own.
   */
  readonly turnPolicy?: TurnPolicy;
}

export interface SessionSendOptions {
  /** Aborting ends the turn: what it said so far is kept in the transcript. */
  readonly signal?: AbortSignal;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly principal?: unknown;
}

/** The unfinished turn of a session. */
export interface PendingTurn {
  readonly status: 'in-progress' | 'awaiting-approval';
  readonly approvalId?: string;
  readonly approvalKind?: 'question';
}

export interface SessionForkOptions {
  /** The last step that the new session has; 0 for an empty one. */
  readonly fromStep: number;
  /** Default: the first free `<id>-fork-<n>`. */
  readonly id?: string;
  readonly patch?: {
    /** Replaces the result of a call of the kept steps, in place. */
    readonly toolResult?: { readonly toolCallId: string; readonly result: unknown };
  };
}

/**
 * A conversation of any number of turns. Its transcript is committed turn by turn, each as one compare-and-set; the turn that is going
 * on is a durable run of its own, and a crash is finished by whoever comes next. Calls on one session run one after another.
 */
export interface AgentSession {
  readonly id: string;
  /**
   * Says something and resolves with the answer, committed. An interrupted turn is finished first. Rejects with
   * `LOUSHO_SESSION_AWAITING_APPROVAL` while a turn waits for a person, with `LOUSHO_SESSION_TURN_FAILED` when the pending turn is known
   * to fail again, with `LOUSHO_SESSION_BUSY` while another process runs a turn or when it committed first.
   */
  send(input: RunInput, options?: SessionSendOptions): Promise<ExecutionResult>;
  /** The same as a stream of events; `run.done` comes when the transcript is saved. */
  stream(input: RunInput, options?: SessionSendOptions): AgentRun;
  /**
   * Finishes an interrupted turn; `null` when there is none, also when only its commit was missing. Aborting leaves the turn for the
   * next one who finishes it.
   */
  resume(options?: { readonly signal?: AbortSignal }): Promise<ExecutionResult | null>;
  /** The unfinished turn; `null` when there is none. */
  pending(): Promise<PendingTurn | null>;
  /** Drops the unfinished turn and withdraws its approvals at once. */
  discardPending(): Promise<void>;
  /**
   * Empties the transcript and removes every turn's checkpoint and history. Rejects with `LOUSHO_SESSION_AWAITING_APPROVAL` while a turn
   * waits for a person, with `LOUSHO_SESSION_BUSY` while another process runs one.
   */
  clear(): Promise<void>;
  /** The committed transcript, without the system prompt. */
  messages(): Promise<readonly Message[]>;
  /** The steps of the committed transcript. */
  history(): Promise<readonly SessionStep[]>;
  /**
   * A new session with the transcript up to a step. Rejects with `LOUSHO_SESSION_STEP_NOT_FOUND` or `LOUSHO_SESSION_EXISTS`. The source
   * is only read.
   */
  fork(options: SessionForkOptions): Promise<AgentSession>;
}
