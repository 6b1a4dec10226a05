import type {
  AgentFingerprint,
  Checkpoint,
  CheckpointStatus,
  DelegatedSpend,
  LastError,
  Message,
  PausedCall,
  RunConfig,
  RunStart,
  RunTrace,
  RunUsage,
  TaskOrigin,
  ToolCall,
} from '../contract/index.js';

/** Why a run ended, or stopped for now. */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'error'
  | 'other'
  | 'awaiting-approval'
  | 'aborted'
  | 'max-steps';

/** What a person said to a run while it went on. */
export interface QueuedInput {
  readonly id: string;
  readonly messages: readonly Message[];
  /** It takes the place of what has not begun: calls that the model asks for behind it do not start. */
  readonly isSteer: boolean;
}

/**
 * A run as its decisions see it: the checkpoint's facts plus what this execution allows. All fields are always there: states of one
 * shape are made and read faster.
 */
export interface RunState {
  readonly sessionId: string | undefined;
  readonly runId: string;
  /** Results in place are in call order; input that the model has not seen stands at the end. */
  readonly messages: readonly Message[];
  readonly settledResults: readonly Message[];
  /** Input of this execution that joins `messages` before the next model call. A record has it at the transcript's end. */
  readonly queuedInputs: readonly QueuedInput[];
  /** The calls of the last turn that asked a person, in call order. */
  readonly pausedCalls: readonly PausedCall[];
  /** Calls of the last turn that run at most once and have been started. */
  readonly startedToolCallIds: readonly string[];
  /** Finished sub-steps of open calls. */
  readonly toolSteps: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly runStart: RunStart;
  readonly stepIndex: number;
  readonly maxSteps: number;
  /** The run's own budget, saved with it; absent where the agent's applies. */
  readonly ownMaxSteps: number | undefined;
  readonly usage: RunUsage;
  /** What the model said when it stopped calling tools. */
  readonly finishReason: FinishReason | undefined;
  /** The failed attempts so far; gone with the first progress. */
  readonly failure: { readonly lastError: LastError; readonly attempts: number } | undefined;
  /** What sub-agents that have not settled have spent so far, by task. */
  readonly delegatedInFlight: Readonly<Record<string, DelegatedSpend>> | undefined;
  /** Sub-agents that are kept with this run until they settle, by task. */
  readonly subagents: Readonly<Record<string, Checkpoint>> | undefined;
  /** Whose task this run is, where it has a record of its own. */
  readonly delegatedBy: TaskOrigin | undefined;
  readonly businessState: unknown;
  readonly principal: unknown;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly agentId: string | undefined;
  readonly agentFingerprint: AgentFingerprint | undefined;
  readonly runConfig: RunConfig | undefined;
  /** Where the run is observed, or was before this execution. */
  readonly trace: RunTrace | undefined;
  /** Fields of the loaded record that this version does not know, kept for the next save. */
  readonly carried: Readonly<Record<string, unknown>>;
}

/** The calls that still wait for a person, in call order. */
export function undecidedCalls(state: Pick<RunState, 'pausedCalls'>): readonly PausedCall[] {
  return state.pausedCalls.filter((call) => !call.decision);
}

/** What a person was asked about a call itself, not about what a sub-agent does for it. */
export function ownPausedCall(
  state: Pick<RunState, 'pausedCalls'>,
  call: Pick<ToolCall, 'id'>,
): PausedCall | undefined {
  return state.pausedCalls.find((paused) => paused.toolCallId === call.id && !paused.subagentPath);
}

/** The status of a run that has not finished. */
export function standingStatus(state: RunState): CheckpointStatus {
  return undecidedCalls(state).length > 0 ? 'awaiting-approval' : 'in-progress';
}

/** The messages of the current run: its input and everything after it. */
export function messagesOfRun(state: Pick<RunState, 'messages' | 'runStart'>): readonly Message[] {
  return state.messages.slice(state.runStart.messageIndex);
}
