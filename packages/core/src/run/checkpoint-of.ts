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

/** The record of a state. `status` and what belongs to it is the recorder's to say. */
export function checkpointOf(
  state: RunState,
  save: { revision: number; status: CheckpointStatus; finishReason?: FinishReason },
): Checkpoint {
  return {
    ...state.carried,
    sessionId: state.sessionId ?? '',
    format: RECORD_FORMAT,
    revision: save.revision,
    runId: state.runId,
    stepIndex: state.stepIndex,
    messages: save.status === 'in-progress' ? withQueuedInputs(state) : state.messages,
    runStart: state.runStart,
    usage: state.usage,
    status: save.status,
    ...(state.ownMaxSteps !== undefined && { maxSteps: state.ownMaxSteps }),
    ...(state.settledResults.length > 0 && { settledResults: state.settledResults }),
    ...(Object.keys(state.toolSteps).length > 0 && { toolSteps: state.toolSteps }),
    ...pauseFields(state),
    ...(state.delegatedInFlight && { delegatedInFlight: state.delegatedInFlight }),
    ...(state.subagents && { subagents: state.subagents }),
    ...(state.delegatedBy && { delegatedBy: state.delegatedBy }),
    ...(save.finishReason !== undefined && { finishReason: save.finishReason }),
    ...(state.failure && { lastError: state.failure.lastError, attempts: state.failure.attempts }),
    ...(state.agentId !== undefined && { agentId: state.agentId }),
    ...(state.businessState !== undefined && { businessState: state.businessState }),
    ...(state.agentFingerprint && { agentFingerprint: state.agentFingerprint }),
    ...(state.runConfig && { runConfig: state.runConfig }),
    ...(state.trace && { trace: state.trace }),
    ...(state.principal !== undefined && { principal: state.principal }),
    ...(state.metadata !== undefined && { metadata: state.metadata }),
  };
}

/** So that a crash keeps them: whoever resumes finds input that the model has not seen. A run that stops does not take them along. */
function withQueuedInputs({ messages, queuedInputs }: RunState): readonly Message[] {
  if (queuedInputs.length === 0) return messages;
  return [...messages, ...queuedInputs.flatMap((input) => input.messages)];
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
