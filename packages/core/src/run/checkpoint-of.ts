import { type Checkpoint, type CheckpointStatus, type Message, RECORD_FORMAT } from '../contract/index.js';
import { type FinishReason, type RunState, undecidedCalls } from './run-state.js';

/** The fields that a record gets from the state itself; every other one is carried from load to save. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'sessionId',
  'format',
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
  'toolSteps',
  'delegatedInFlight',
  'subagents',
  'delegatedBy',
  'lastError',
  'attempts',
  'agentFingerprint',
  'runConfig',
  'trace',
  'principal',
  'metadata',
]);

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The record of a state, without what has no value. `status` and what belongs to it is the recorder's to say. */
export function checkpointOf(
  state: RunState,
  save: { revision: number; status: CheckpointStatus; finishReason?: FinishReason },
): Checkpoint {
  const record: Writable<Checkpoint> = {
    sessionId: state.sessionId ?? '',
    format: RECORD_FORMAT,
    revision: save.revision,
    runId: state.runId,
    stepIndex: state.stepIndex,
    messages: save.status === 'in-progress' ? withQueuedInputs(state) : state.messages,
    runStart: state.runStart,
    usage: state.usage,
    status: save.status,
  };
  if (state.ownMaxSteps !== undefined) record.maxSteps = state.ownMaxSteps;
  if (state.settledResults.length > 0) record.settledResults = state.settledResults;
  if (Object.keys(state.toolSteps).length > 0) record.toolSteps = state.toolSteps;
  if (state.pausedCalls.length > 0) notePause(record, state);
  if (state.startedToolCallIds.length > 0) record.startedToolCallIds = state.startedToolCallIds;
  if (state.delegatedInFlight) record.delegatedInFlight = state.delegatedInFlight;
  if (state.subagents) record.subagents = state.subagents;
  if (state.delegatedBy) record.delegatedBy = state.delegatedBy;
  if (save.finishReason !== undefined) record.finishReason = save.finishReason;
  if (state.failure) record.lastError = state.failure.lastError;
  if (state.failure) record.attempts = state.failure.attempts;
  if (state.agentId !== undefined) record.agentId = state.agentId;
  if (state.businessState !== undefined) record.businessState = state.businessState;
  if (state.agentFingerprint) record.agentFingerprint = state.agentFingerprint;
  if (state.runConfig) record.runConfig = state.runConfig;
  if (state.trace) record.trace = state.trace;
  if (state.principal !== undefined) record.principal = state.principal;
  if (state.metadata !== undefined) record.metadata = state.metadata;
  return Object.keys(state.carried).length > 0 ? { ...record, ...state.carried } : record;
}

/** So that a crash keeps them: whoever resumes finds input that the model has not seen. A run that stops does not take them along. */
function withQueuedInputs({ messages, queuedInputs }: RunState): readonly Message[] {
  if (queuedInputs.length === 0) return messages;
  return [...messages, ...queuedInputs.flatMap((input) => input.messages)];
}

function notePause(record: Writable<Checkpoint>, { pausedCalls }: RunState): void {
  record.pausedCalls = pausedCalls;
  const undecided = undecidedCalls({ pausedCalls });
  const [first] = undecided;
  if (!first) return;
  record.approvalId = first.approvalId;
  record.approvalIds = undecided.map((call) => call.approvalId);
  if (first.kind) record.approvalKind = first.kind;
}
