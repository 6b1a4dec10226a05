import type { LastError, Message, PausedCall } from '../contract/index.js';
import type { FinishReason, RunState } from './run-state.js';
import { cancelledResult, interruptedResult, notRunResult } from './tool-result.js';
import { joinTranscript, splitTranscript, type TurnCall } from './transcript.js';
import { addUsage } from './usage.js';

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
  | { readonly kind: 'call-settled'; readonly result: Message }
  /** Calls wait for a person, or another one of them was decided. */
  | { readonly kind: 'paused'; readonly pausedCalls: readonly PausedCall[] }
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
      return withoutToolSteps(settleOne(progressed(state), fact.result), fact.result.toolCallId);
    case 'aborted':
      return cancelOpenCalls(progressed(state), fact.mayHaveStarted === true);
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

/** The first open call with the result's id gets it: each call has exactly one result, also if a provider used an id twice in a turn. */
function settleOne(state: RunState, result: Message): RunState {
  const { calls } = splitTranscript(state.messages, state.settledResults);
  const index = calls.findIndex((entry) => !entry.result && entry.call.id === result.toolCallId);
  return withResults(state, (entry, at) => (at === index ? result : entry.result));
}

/** A start mark says that a call was started, and a pause that it was not; for others only the caller knows. */
function cancelOpenCalls(state: RunState, mayHaveStarted: boolean): RunState {
  const cancelled = withResults(state, ({ call, result }) => {
    if (result) return result;
    if (state.startedToolCallIds.includes(call.id)) return interruptedResult(call);
    const isPaused = state.pausedCalls.some((paused) => paused.toolCallId === call.id);
    return mayHaveStarted && !isPaused ? cancelledResult(call) : notRunResult(call, 'the run was aborted');
  });
  return { ...cancelled, pausedCalls: [], toolSteps: {} };
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
  const { failure: _, ...rest } = state;
  return rest;
}
