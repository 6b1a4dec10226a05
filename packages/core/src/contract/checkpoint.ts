import type { ApprovalDecision } from './approval-decision.js';
import type { Message } from './messages.js';

/** Where a run stands. A record without a status (older data) is `in-progress`. */
export type CheckpointStatus = 'in-progress' | 'awaiting-approval' | 'finished';

/** Why the last attempt at a run rejected. `retryable: false` means that it would fail the same way again. */
export interface LastError {
  readonly message: string;
  readonly code?: string;
  readonly category?: string;
  readonly retryable: boolean;
  /** ISO instant. */
  readonly at: string;
  /** ISO instant before which the provider asked not to be asked again; only where a later attempt may succeed. */
  readonly retryAt?: string;
}

/** Tokens and model calls of one run. Totals only: what each call cost stands on its assistant message (`Message.usage`). */
export interface RunUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly modelCalls: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  /** The part of the totals that sub-agents spent. */
  readonly delegated?: DelegatedUsage;
}

/** What the sub-agents of a run spent, theirs included: a part of the run's totals. */
export interface DelegatedUsage {
  /** Attempts of sub-agents; one that a crash cut off and the one that began again are two. */
  readonly runs: number;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/** What a sub-agent that has not settled has spent so far. */
export interface DelegatedSpend {
  /** Of the sub-agent: tells a run that goes on from one that began again. */
  readonly runId: string;
  readonly usage: RunUsage;
}

/** Whose task a sub-agent's record is about. */
export interface TaskOrigin {
  readonly sessionId: string;
  readonly runId: string;
  readonly agentName: string;
}

/** What an agent was when it saved: the model, a hash of each tool's schema, a hash of the instructions, a hash over all. */
export interface AgentFingerprint {
  readonly version: number;
  readonly model?: string;
  readonly tools: Readonly<Record<string, string>>;
  readonly instructions: string;
  readonly hash: string;
}

/** Where the current run's input stands in the transcript: how a re-sent start message is recognised. */
export interface RunStart {
  readonly messageIndex: number;
  readonly messageCount: number;
}

/**
 * What the functions of a dynamic agent were given when the run began, and the model that was chosen. The input is not here: it stands
 * in `messages`, where `runStart` says.
 */
export interface RunConfig {
  readonly ctx: { readonly sessionId?: string; readonly metadata?: Readonly<Record<string, unknown>> };
  /** In which shape the input was given. */
  readonly inputAs: 'text' | 'parts' | 'messages';
  /** Where it is chosen per run; `null` chose the provider's default. */
  readonly model?: string | null;
}

/** Where the run was last observed, for whoever observes it next. */
export interface RunTrace {
  /** As in W3C Trace Context. */
  readonly traceparent: string;
  /** Of a fork that has not gone on yet: the session whose run was observed there. */
  readonly forkedFrom?: string;
}

/** A call that waits for a person, or was decided and has no result yet. */
export interface PausedCall {
  readonly approvalId: string;
  readonly toolCallId: string;
  /** Absent for a tool. */
  readonly kind?: 'question';
  /** The arguments that the person was shown, in canonical form: the call runs with these or not at all. */
  readonly pinnedArgs?: string;
  /** Of a call that a sub-agent made, the sub-agent's names, outermost first; `toolCallId` is then the call that it works for. */
  readonly subagentPath?: readonly string[];
  /** Copied from the approval when the run goes on, so that its record is complete without the approval. */
  readonly decision?: ApprovalDecision;
}

/**
 * A run's whole state, as saved. Everything in it is JSON plus `Uint8Array`; fields that this version does not know survive a
 * load and a save. Nothing but `messages` grows with the run, so that a save costs what is new.
 */
export interface Checkpoint {
  readonly sessionId: string;
  /** The format of the record: 1, also where it is absent. A record with a higher one is refused. */
  readonly format?: number;
  /** 1, 2, 3, ... without gaps within the session id. Absent on records of custom callers and on old data. */
  readonly revision?: number;
  readonly agentId?: string;
  readonly runId?: string;
  /** Model calls made by the current run. */
  readonly stepIndex: number;
  /** The system message first. Input that the model has not seen yet stands at the end. */
  readonly messages: readonly Message[];
  /** Results that settled before an earlier call of their turn; they join `messages` when they are next in call order. */
  readonly settledResults?: readonly Message[];
  readonly runStart?: RunStart;
  /** The run's own budget of model calls, where the call that started it set one: it holds for whoever resumes the run. */
  readonly maxSteps?: number;
  readonly usage?: RunUsage;
  readonly status?: CheckpointStatus;
  readonly finishReason?: string;
  readonly businessState?: unknown;
  /** The first undecided approval of the pause. */
  readonly approvalId?: string;
  /** The undecided approvals of the pause, in call order. */
  readonly approvalIds?: readonly string[];
  /** Absent for a tool's approval. */
  readonly approvalKind?: 'question';
  /** The calls of the last turn that asked a person, in call order. */
  readonly pausedCalls?: readonly PausedCall[];
  /** Values of finished sub-steps of calls that have no result yet: by call id, then by the step's name. */
  readonly toolSteps?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Calls of the last turn that run at most once and whose start is recorded: without a result, they were interrupted. */
  readonly startedToolCallIds?: readonly string[];
  /** ISO instant at which it was copied to another store, where it goes on: here it is advanced no more. */
  readonly movedAt?: string;
  /** What sub-agents that have not settled have spent so far, by task; not yet in `usage`. */
  readonly delegatedInFlight?: Readonly<Record<string, DelegatedSpend>>;
  /** Sub-agents that have asked a person and have not settled, by task: their runs as they stand. */
  readonly subagents?: Readonly<Record<string, Checkpoint>>;
  /** Of a sub-agent's own record. */
  readonly delegatedBy?: TaskOrigin;
  readonly lastError?: LastError;
  /** Attempts that rejected in a row; dropped as soon as the run makes progress. */
  readonly attempts?: number;
  /** Absent on older records, which resume without a comparison. */
  readonly agentFingerprint?: AgentFingerprint;
  /** Of a dynamic agent: a resumed run is given the same again. */
  readonly runConfig?: RunConfig;
  /** Absent where nobody observed the run. */
  readonly trace?: RunTrace;
  readonly principal?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The status of a record, old data included. */
export function statusOf(checkpoint: Pick<Checkpoint, 'status'>): CheckpointStatus {
  return checkpoint.status ?? 'in-progress';
}
