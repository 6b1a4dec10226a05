import type {
  Checkpoint,
  CheckpointStatus,
  LastError,
  Message,
  PausedCall,
  RunStart,
  RunUsage,
} from '../contract/index.js';
import { joinTranscript, repairEarlierTurns, splitTranscript } from './transcript.js';
import { NO_USAGE, readUsage } from './usage.js';

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

/** A run as its decisions see it: the checkpoint's facts plus what this execution allows. */
export interface RunState {
  readonly sessionId: string | undefined;
  readonly runId: string;
  /** Results in place are in call order; input that the model has not seen stands at the end. */
  readonly messages: readonly Message[];
  readonly settledResults: readonly Message[];
  /** The calls of the last turn that asked a person, in call order. */
  readonly pausedCalls: readonly PausedCall[];
  /** Calls of the last turn that run at most once and have been started. */
  readonly startedToolCallIds: readonly string[];
  readonly runStart: RunStart;
  readonly stepIndex: number;
  readonly maxSteps: number;
  /** The run's own budget, saved with it; absent where the agent's applies. */
  readonly ownMaxSteps?: number;
  readonly usage: RunUsage;
  /** What the model said when it stopped calling tools. */
  readonly finishReason?: FinishReason;
  /** The failed attempts so far; gone with the first progress. */
  readonly failure?: { readonly lastError: LastError; readonly attempts: number };
  readonly businessState?: unknown;
  readonly principal?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly agentId?: string;
  /** Fields of the loaded record that this version does not know, kept for the next save. */
  readonly carried: Readonly<Record<string, unknown>>;
}

/** What the caller of this execution gives, beside the input. */
export interface RunSettings {
  readonly sessionId: string | undefined;
  readonly runId: string;
  /** This call's budget of model calls; before the stored run's, which is before the agent's. */
  readonly ownMaxSteps?: number;
  readonly agentMaxSteps: number;
  readonly systemPrompt: string | undefined;
  readonly agentId?: string;
  /** `undefined` keeps the stored one, `null` clears it. */
  readonly businessState?: unknown;
  readonly principal?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'sessionId',
  'revision',
  'agentId',
  'runId',
  'stepIndex',
  'messages',
  'settledResults',
  'runStart',
  'maxSteps',
  'usage',
  'status',
  'finishReason',
  'businessState',
  'approvalId',
  'approvalIds',
  'approvalKind',
  'pausedCalls',
  'startedToolCallIds',
  'lastError',
  'attempts',
  'principal',
  'metadata',
]);

/** The first run of a session: the system prompt, then the input. */
export function newRun(settings: RunSettings, input: readonly Message[]): RunState {
  const system: Message[] = settings.systemPrompt ? [{ role: 'system', content: settings.systemPrompt }] : [];
  return nextRun(settings, system, input, {});
}

/** The next run of a session whose last one has finished: its messages are kept, counts start from zero. */
export function followUpRun(settings: RunSettings, stored: Checkpoint, input: readonly Message[]): RunState {
  return nextRun(settings, repairEarlierTurns(stored.messages), input, stored);
}

function nextRun(
  settings: RunSettings,
  before: readonly Message[],
  input: readonly Message[],
  stored: Partial<Checkpoint>,
): RunState {
  return {
    ...inherited(settings, stored),
    sessionId: settings.sessionId,
    runId: settings.runId,
    messages: [...before, ...input],
    settledResults: [],
    pausedCalls: [],
    startedToolCallIds: [],
    runStart: { messageIndex: before.length, messageCount: input.length },
    stepIndex: 0,
    ...budget(settings),
    usage: NO_USAGE,
  };
}

/** The unfinished run of a record, as it stood; the transcript of any record becomes valid. */
export function resumedRun(settings: RunSettings, stored: Checkpoint): RunState {
  const messages = repairEarlierTurns(stored.messages);
  const split = splitTranscript(messages, stored.settledResults);
  const joined = split.calls.length > 0 ? joinTranscript(split) : { messages, settledResults: [] };
  const { lastError, attempts } = stored;
  return {
    ...inherited(settings, stored),
    ...joined,
    sessionId: settings.sessionId,
    runId: stored.runId ?? settings.runId,
    pausedCalls: stored.pausedCalls ?? [],
    startedToolCallIds: stored.startedToolCallIds ?? [],
    runStart: stored.runStart ?? guessRunStart(messages),
    stepIndex: stored.stepIndex,
    ...budget(settings, stored.maxSteps),
    usage: readUsage(stored.usage),
    ...(lastError && { failure: { lastError, attempts: attempts ?? 1 } }),
  };
}

/** The record of a state. `status` and what belongs to it is the recorder's to say. */
export function checkpointOf(
  state: RunState,
  save: { revision: number; status: CheckpointStatus; finishReason?: FinishReason },
): Checkpoint {
  return {
    ...state.carried,
    sessionId: state.sessionId ?? '',
    revision: save.revision,
    runId: state.runId,
    stepIndex: state.stepIndex,
    messages: state.messages,
    runStart: state.runStart,
    usage: state.usage,
    status: save.status,
    ...(state.ownMaxSteps !== undefined && { maxSteps: state.ownMaxSteps }),
    ...(state.settledResults.length > 0 && { settledResults: state.settledResults }),
    ...pauseFields(state),
    ...(save.finishReason !== undefined && { finishReason: save.finishReason }),
    ...(state.failure && { lastError: state.failure.lastError, attempts: state.failure.attempts }),
    ...(state.agentId !== undefined && { agentId: state.agentId }),
    ...(state.businessState !== undefined && { businessState: state.businessState }),
    ...(state.principal !== undefined && { principal: state.principal }),
    ...(state.metadata !== undefined && { metadata: state.metadata }),
  };
}

/** The calls that still wait for a person, in call order. */
export function undecidedCalls(state: Pick<RunState, 'pausedCalls'>): readonly PausedCall[] {
  return state.pausedCalls.filter((call) => !call.decision);
}

/** The status of a run that has not finished. */
export function standingStatus(state: RunState): CheckpointStatus {
  return undecidedCalls(state).length > 0 ? 'awaiting-approval' : 'in-progress';
}

function pauseFields(state: RunState): Partial<Checkpoint> {
  const undecided = undecidedCalls(state);
  const [first] = undecided;
  return {
    ...(state.pausedCalls.length > 0 && { pausedCalls: state.pausedCalls }),
    ...(state.startedToolCallIds.length > 0 && { startedToolCallIds: state.startedToolCallIds }),
    ...(first && { approvalId: first.approvalId, approvalIds: undecided.map((call) => call.approvalId) }),
    ...(first?.kind && { approvalKind: first.kind }),
  };
}

/** The messages of the current run: its input and everything after it. */
export function messagesOfRun(state: Pick<RunState, 'messages' | 'runStart'>): readonly Message[] {
  return state.messages.slice(state.runStart.messageIndex);
}

function budget(settings: RunSettings, stored?: number) {
  const ownMaxSteps = settings.ownMaxSteps ?? stored;
  if (ownMaxSteps === undefined) return { maxSteps: settings.agentMaxSteps };
  return { maxSteps: ownMaxSteps, ownMaxSteps };
}

function inherited(settings: RunSettings, stored: Partial<Checkpoint>) {
  const businessState = settings.businessState === undefined ? stored.businessState : settings.businessState;
  const principal = settings.principal ?? stored.principal;
  const metadata = settings.metadata ?? stored.metadata;
  const agentId = settings.agentId ?? stored.agentId;
  return {
    carried: Object.fromEntries(Object.entries(stored).filter(([field]) => !KNOWN_FIELDS.has(field))),
    ...(businessState !== undefined && { businessState }),
    ...(principal !== undefined && { principal }),
    ...(metadata !== undefined && { metadata }),
    ...(agentId !== undefined && { agentId }),
  };
}

/** Older records do not say where their run began: at the first user message that directly follows a finished reply, or at all. */
function guessRunStart(messages: readonly Message[]): RunStart {
  const reply = messages.findLastIndex(
    (message, index) =>
      message.role === 'assistant' && !message.toolCalls?.length && messages[index + 1]?.role === 'user',
  );
  const messageIndex = messages.findIndex((message, index) => index > reply && message.role === 'user');
  return { messageIndex: Math.max(messageIndex, 0), messageCount: messageIndex === -1 ? 0 : 1 };
}
