import type { AgentFingerprint, LastError, Message, PausedCall } from '../contract/index.js';
import { type DelegationFact, type EndedTask, endDelegation, noteDelegation } from './delegation.js';
import type { FinishReason, QueuedInput, RunState } from './run-state.js';
import { openTasks } from './task-key.js';
import { joinTranscript, splitTranscript, type TurnCall } from './transcript.js';
import { addUsage } from './usage.js';
import { WHY_ABORTED, withdrawnResult } from './withdraw.js';

/** Something that happened to a run and that its record must show. */
export type Fact =
  | {
      readonly kind: 'model-answered';
      readonly message: Message;
      readonly finishReason: FinishReason;
      /** Results of calls that can never run, such as those of unknown tools: recorded with the turn. */
      readonly refused: readonly Message[];
    }
  /** A call that runs at most once starts now. */
  | { readonly kind: 'call-started'; readonly toolCallId: string }
  /** A part of a running call has finished, and need not be repeated if the call runs again. */
  | {
      readonly kind: 'step-settled';
      readonly toolCallId: string;
      readonly name: string;
      readonly value: unknown;
    }
  | {
      readonly kind: 'call-settled';
      readonly result: Message;
      /** The task that the call was about, and that is over with it. */
      readonly task?: EndedTask;
    }
  /** A sub-agent has come further. */
  | ({ readonly kind: 'delegated' } & DelegationFact)
  /** A call settled, and the run is with another agent now. */
  | { readonly kind: 'handed-over'; readonly result: Message; readonly agentFingerprint: AgentFingerprint }
  /** Calls wait for a person, or another one of them was decided. */
  | { readonly kind: 'paused'; readonly pausedCalls: readonly PausedCall[] }
  /** A person said something while the run went on. */
  | {
      readonly kind: 'input-queued';
      readonly input: QueuedInput;
      /** Results of the calls that it kept from starting. */
      readonly withdrawn: readonly Message[];
    }
  /** It took the place of the model call that was going on, of which nobody has heard anything. */
  | {
      readonly kind: 'model-steered';
      readonly input: QueuedInput;
      /** Whether the model had been asked already. */
      readonly wasAsked: boolean;
    }
  /** What was queued is a part of the transcript now. */
  | { readonly kind: 'input-joined' }
  /** Calls without a result get a cancelled one, so that the transcript stays valid. */
  | {
      readonly kind: 'aborted';
      /** They were pending when the run was loaded: an earlier process may have started them. */
      readonly mayHaveStarted?: boolean;
    }
  | { readonly kind: 'failed'; readonly lastError: LastError };

/** The state after a fact. */
export function apply(state: RunState, fact: Fact): RunState {
  switch (fact.kind) {
    case 'model-answered':
      return modelAnswered(state, fact);
    case 'call-started':
      return { ...progressed(state), startedToolCallIds: [...state.startedToolCallIds, fact.toolCallId] };
    case 'paused':
      return { ...progressed(state), pausedCalls: fact.pausedCalls };
    case 'step-settled':
      return withToolStep(progressed(state), fact);
    case 'call-settled':
      return callSettled(progressed(state), fact);
    case 'delegated':
      return noteDelegation(progressed(state), fact);
    case 'handed-over':
      return { ...settleCall(progressed(state), fact.result), agentFingerprint: fact.agentFingerprint };
    case 'input-queued':
      return fact.withdrawn.reduce(settleCall, withInput(state, fact.input));
    case 'model-steered':
      return withInput(modelSteered(state, fact.wasAsked), fact.input);
    case 'input-joined':
      return {
        ...state,
        messages: [...state.messages, ...state.queuedInputs.flatMap((input) => input.messages)],
        queuedInputs: [],
      };
    case 'aborted':
      // Whoever said something has heard that it does not count.
      return cancelOpenCalls({ ...progressed(state), queuedInputs: [] }, fact.mayHaveStarted === true);
    case 'failed':
      return {
        ...withoutQuestion(state),
        failure: { lastError: fact.lastError, attempts: (state.failure?.attempts ?? 0) + 1 },
      };
    default:
      return fact satisfies never;
  }
}

function modelAnswered(state: RunState, fact: Extract<Fact, { kind: 'model-answered' }>): RunState {
  const answered: RunState = {
    ...progressed(state),
    messages: [...state.messages, fact.message],
    settledResults: [],
    pausedCalls: [],
    startedToolCallIds: [],
    toolSteps: {},
    stepIndex: state.stepIndex + 1,
    usage: addUsage(state.usage, fact.message.usage),
    finishReason: fact.finishReason,
  };
  return fact.refused.reduce(settleOne, answered);
}

/** The step counts, and of what the model said meanwhile nothing is kept. */
function modelSteered(state: RunState, wasAsked: boolean): RunState {
  return {
    ...state,
    stepIndex: state.stepIndex + 1,
    usage: wasAsked ? addUsage(state.usage, undefined) : state.usage,
  };
}

function withInput(state: RunState, input: QueuedInput): RunState {
  return { ...state, queuedInputs: [...state.queuedInputs, input] };
}

function callSettled(state: RunState, { result, task }: Extract<Fact, { kind: 'call-settled' }>): RunState {
  const settled = settleCall(state, result);
  return task ? endDelegation(settled, task) : settled;
}

function settleCall(state: RunState, result: Message): RunState {
  return withoutToolSteps(settleOne(state, result), result.toolCallId);
}

/** The first open call with the result's id gets it: each call has exactly one result, also if a provider used an id twice in a turn. */
function settleOne(state: RunState, result: Message): RunState {
  const { calls } = splitTranscript(state.messages, state.settledResults);
  const index = calls.findIndex((entry) => !entry.result && entry.call.id === result.toolCallId);
  return withResults(state, (entry, at) => (at === index ? result : entry.result));
}

function cancelOpenCalls(state: RunState, mayHaveStarted: boolean): RunState {
  const withdrawal = { why: WHY_ABORTED, mayHaveStarted };
  const cancelled = withResults(
    state,
    ({ call, result }) => result ?? withdrawnResult(state, call, withdrawal),
  );
  // Tasks beside the calls may be waited for later: what they spent is counted then.
  const ended = openTasks(state).reduce((next, taskId) => endDelegation(next, { taskId }), cancelled);
  return { ...ended, pausedCalls: [], toolSteps: {} };
}

function withResults(
  state: RunState,
  resultOf: (entry: TurnCall, index: number) => Message | undefined,
): RunState {
  const transcript = splitTranscript(state.messages, state.settledResults);
  if (transcript.calls.length === 0) return state;
  const calls = transcript.calls.map((entry, index) => {
    const result = resultOf(entry, index);
    return result ? { call: entry.call, result } : { call: entry.call };
  });
  return { ...state, ...joinTranscript({ ...transcript, calls }) };
}

function withToolStep(
  state: RunState,
  { toolCallId, name, value }: Extract<Fact, { kind: 'step-settled' }>,
): RunState {
  const steps = { ...state.toolSteps[toolCallId], [name]: value };
  return { ...state, toolSteps: { ...state.toolSteps, [toolCallId]: steps } };
}

/** The result says all that the steps led to. */
function withoutToolSteps(state: RunState, toolCallId: string | undefined): RunState {
  if (toolCallId === undefined || !Object.hasOwn(state.toolSteps, toolCallId)) return state;
  const { [toolCallId]: _, ...toolSteps } = state.toolSteps;
  return { ...state, toolSteps };
}

/** A run that failed while it asked has not asked: it is in progress, and asks again when it is resumed. */
function withoutQuestion(state: RunState): RunState {
  return { ...state, pausedCalls: state.pausedCalls.filter((call) => call.decision) };
}

function progressed(state: RunState): RunState {
  return state.failure ? { ...state, failure: undefined } : state;
}
