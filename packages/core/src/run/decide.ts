import type { ToolCall } from '../contract/index.js';
import { type FinishReason, type RunState, undecidedCalls } from './run-state.js';
import { splitTranscript } from './transcript.js';

/** What a run does next. */
export type Next =
  | { readonly kind: 'call-tools'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'ask-model' }
  /** What people said meanwhile becomes a part of the transcript; the model is asked next. */
  | { readonly kind: 'join-input' }
  /** The calls wait for a person; the run stands until the last one is decided. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'finish'; readonly reason: FinishReason };

/**
 * The one place that says what comes next. Calls without a result come before everything, so that a recorded model turn is never
 * asked for again; the model is asked only when every call of the last turn has its result; a reply without calls ends the run, unless
 * input has come meanwhile and a step is left to answer it.
 */
export function decide(state: RunState): Next {
  const { settled, calls, queued } = splitTranscript(state.messages, state.settledResults);
  const open = calls.filter((entry) => !entry.result).map((entry) => entry.call);
  if (open.length > 0) {
    return undecidedCalls(state).length > 0 ? { kind: 'pause' } : { kind: 'call-tools', calls: open };
  }
  const isInBudget = state.stepIndex < state.maxSteps;
  if (state.queuedInputs.length > 0 && isInBudget) return { kind: 'join-input' };
  const isAnswered = calls.length === 0 && queued.length === 0 && settled.length > 0;
  if (isAnswered) return { kind: 'finish', reason: state.finishReason ?? 'stop' };
  if (!isInBudget) return { kind: 'finish', reason: 'max-steps' };
  return { kind: 'ask-model' };
}

/** Whether a steer may take the place of the model call that is going on: that uses a step up, and needs another one for its answer. */
export function mayDropModelCall(state: RunState): boolean {
  return state.stepIndex + 1 < state.maxSteps;
}
