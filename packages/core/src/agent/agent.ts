import type { AgentRun } from '../executor/agent-run.js';
import type { ExecutionResult } from '../executor/execution-result.js';
import type { ForkOptions, ForkResult } from '../executor/fork-run.js';
import type { RunInput } from '../executor/run-input.js';
import type { Approvals } from './approvals.js';
import type { PendingRun } from './pending-run.js';
import type { RecoverOptions, Recovery } from './recover.js';
import type { AgentSession, SessionOptions } from './session/agent-session.js';

export interface SendOptions {
  /** Makes the call durable: the run is kept under this id. */
  readonly sessionId?: string;
  /**
   * Runs the input once per session id: a webhook that is delivered twice, also at the same instant, runs one job. The later call gets
   * the finished result, resumes what a crash left, or is told `LOUSHO_SESSION_BUSY` while the job runs elsewhere.
   */
  readonly ifAbsent?: boolean;
  /** Aborting resolves the run with `finishReason: 'aborted'`. */
  readonly signal?: AbortSignal;
  /** Overrides the agent's for the run that this call starts, or resumes; kept with the run. */
  readonly maxSteps?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly principal?: unknown;
  /** Kept with the checkpoint. Leaving it out keeps what is stored, `null` clears it. */
  readonly businessState?: unknown;
  /** Overrides the agent's for the pauses of this call, in milliseconds. */
  readonly approvalTtlMs?: number;
}

export interface ResumeOptions {
  /** Aborting resolves the run with `finishReason: 'aborted'`. */
  readonly signal?: AbortSignal;
}

/** From where, to which id, and with what changed. */
export type AgentForkOptions = Pick<ForkOptions, 'fromStep' | 'newSessionId' | 'patch'>;

/** An agent with its provider, tools and store. Any number of processes may hold one over the same store. */
export interface Agent {
  readonly name: string;
  /** The decisions that people owe to runs of this store. */
  readonly approvals: Approvals;
  /**
   * Sends input. With a `sessionId` the run is durable: an unfinished run of that id is resumed first and the input joins it, a
   * finished one is continued as a conversation. `[]` only resumes. Calls on one id run one after another, in call order.
   * Rejects with `LOUSHO_SESSION_BUSY` before anything runs while another process advances the id, with
   * `LOUSHO_SESSION_AWAITING_APPROVAL` while it waits for a decision.
   */
  send(input: RunInput, options?: SendOptions): Promise<ExecutionResult>;
  /** The same as a stream of events. */
  stream(input: RunInput, options?: SendOptions): AgentRun;
  /** Finishes the unfinished run of an id, or the interrupted turn of a session; `null` when nothing is pending. */
  resume(sessionId: string, options?: ResumeOptions): Promise<ExecutionResult | null>;
  /**
   * A conversation of any number of turns, kept turn by turn. Default id: a new one. Throws `LOUSHO_SESSION_ID_INVALID`, and
   * `LOUSHO_CONFIG_*` for a store without sessions or checkpoints.
   */
  session(options?: SessionOptions): AgentSession;
  /**
   * Starts a new session from a step of another one's history, in progress: `resume()` continues it. The source is only read.
   * Rejects with `LOUSHO_CHECKPOINT_NOT_FOUND` when the step is not kept.
   */
  fork(sessionId: string, options: AgentForkOptions): Promise<ForkResult>;
  /**
   * The unfinished runs of the store, by id. Rejects with `LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE` without a store and with
   * `LOUSHO_CONFIG_INVALID` when it cannot list.
   */
  pending(): Promise<readonly PendingRun[]>;
  /** Resumes interrupted runs in the background until it is stopped. Throws where `pending()` rejects for want of a store. */
  recover(options?: RecoverOptions): Recovery;
  /** Stops the recovery loops and resolves when the calls that are going on have settled. Does not close the store. */
  close(): Promise<void>;
}
