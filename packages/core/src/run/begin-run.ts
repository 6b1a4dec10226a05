import type {
  AgentFingerprint,
  Checkpoint,
  Message,
  RunConfig,
  RunStart,
  TaskOrigin,
} from '../contract/index.js';
import { KNOWN_FIELDS } from './checkpoint-of.js';
import type { RunState } from './run-state.js';
import { joinTranscript, repairEarlierTurns, splitTranscript } from './transcript.js';
import { NO_USAGE, readUsage } from './usage.js';

/** What the caller of this execution gives, beside the input. */
export interface RunSettings {
  readonly sessionId: string | undefined;
  readonly runId: string;
  /** This call's budget of model calls; before the stored run's, which is before the agent's. */
  readonly ownMaxSteps?: number;
  readonly agentMaxSteps: number;
  readonly systemPrompt: string | undefined;
  /** Each run of a session has a prompt of its own; otherwise a session keeps its first one. */
  readonly renewsSystemPrompt?: boolean;
  /** The conversation before a session's turn; a stored turn has it in its own transcript. */
  readonly conversation?: readonly Message[];
  readonly agentId?: string;
  readonly agentFingerprint?: AgentFingerprint;
  /** Of a dynamic agent. */
  readonly runConfig?: RunConfig | undefined;
  /** Whose task this run is, where it has a record of its own. */
  readonly delegatedBy?: TaskOrigin;
  /** `undefined` keeps the stored one, `null` clears it. */
  readonly businessState?: unknown;
  readonly principal?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The first run of a session: the system prompt, then the input. */
export function newRun(settings: RunSettings, input: readonly Message[]): RunState {
  const before = repairEarlierTurns(settings.conversation ?? []);
  return nextRun(settings, [...systemMessages(settings), ...before], input, {});
}

/** The next run of a session whose last one has finished: its messages are kept, counts start from zero. */
export function followUpRun(settings: RunSettings, stored: Checkpoint, input: readonly Message[]): RunState {
  const before = repairEarlierTurns(stored.messages);
  return nextRun(settings, settings.renewsSystemPrompt ? renewed(settings, before) : before, input, stored);
}

/** A prompt that is as it was stays the same message, which need not be written again. */
function renewed(settings: RunSettings, messages: readonly Message[]): readonly Message[] {
  const [system] = systemMessages(settings);
  const [first] = messages;
  if (!system) return messages;
  if (first?.role !== 'system') return [system, ...messages];
  return first.content === system.content ? messages : [system, ...messages.slice(1)];
}

function systemMessages({ systemPrompt }: RunSettings): readonly Message[] {
  return systemPrompt ? [{ role: 'system', content: systemPrompt }] : [];
}

function nextRun(
  settings: RunSettings,
  before: readonly Message[],
  input: readonly Message[],
  stored: Partial<Checkpoint>,
): RunState {
  return {
    ...blankRun(settings, stored),
    messages: [...before, ...input],
    runStart: { messageIndex: before.length, messageCount: input.length },
  };
}

/** A run that nothing has happened in. Of the record before it, it has what the caller does not say anew. */
function blankRun(settings: RunSettings, stored: Partial<Checkpoint>): RunState {
  return {
    sessionId: settings.sessionId,
    runId: settings.runId,
    messages: [],
    settledResults: [],
    queuedInputs: [],
    pausedCalls: [],
    startedToolCallIds: [],
    toolSteps: {},
    runStart: { messageIndex: 0, messageCount: 0 },
    stepIndex: 0,
    maxSteps: settings.ownMaxSteps ?? settings.agentMaxSteps,
    ownMaxSteps: settings.ownMaxSteps,
    usage: NO_USAGE,
    finishReason: undefined,
    failure: undefined,
    delegatedInFlight: undefined,
    subagents: undefined,
    delegatedBy: settings.delegatedBy,
    businessState: settings.businessState === undefined ? stored.businessState : settings.businessState,
    principal: settings.principal ?? stored.principal,
    metadata: settings.metadata ?? stored.metadata,
    agentId: settings.agentId ?? stored.agentId,
    agentFingerprint: settings.agentFingerprint,
    runConfig: settings.runConfig,
    trace: undefined,
    carried: unknownFields(stored),
  };
}

/** The unfinished run of a record, as it stood; the transcript of any record becomes valid. */
export function resumedRun(settings: RunSettings, stored: Checkpoint): RunState {
  const messages = repairEarlierTurns(stored.messages);
  const split = splitTranscript(messages, stored.settledResults);
  const joined = split.calls.length > 0 ? joinTranscript(split) : { messages, settledResults: [] };
  const { lastError, attempts } = stored;
  const ownMaxSteps = settings.ownMaxSteps ?? stored.maxSteps;
  return {
    ...blankRun(settings, stored),
    runId: stored.runId ?? settings.runId,
    messages: joined.messages,
    settledResults: joined.settledResults,
    pausedCalls: stored.pausedCalls ?? [],
    startedToolCallIds: stored.startedToolCallIds ?? [],
    toolSteps: stored.toolSteps ?? {},
    runStart: stored.runStart ?? guessRunStart(messages),
    stepIndex: stored.stepIndex,
    maxSteps: ownMaxSteps ?? settings.agentMaxSteps,
    ownMaxSteps,
    usage: readUsage(stored.usage),
    failure: lastError && { lastError, attempts: attempts ?? 1 },
    delegatedInFlight: stored.delegatedInFlight,
    subagents: stored.subagents,
    runConfig: stored.runConfig ?? settings.runConfig,
    trace: stored.trace,
  };
}

function unknownFields(stored: Partial<Checkpoint>): Readonly<Record<string, unknown>> {
  const unknown = Object.keys(stored).filter((field) => !KNOWN_FIELDS.has(field));
  return Object.fromEntries(unknown.map((field) => [field, stored[field as keyof Checkpoint]]));
}

/** Where the run of a record began. */
export function runStartOf({ runStart, messages }: Pick<Checkpoint, 'runStart' | 'messages'>): RunStart {
  return runStart ?? guessRunStart(messages);
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
