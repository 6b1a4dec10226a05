import type { ToolCall } from '../contract/index.js';
import { type FinishReason, type RunState, undecidedCalls } from './run-state.js';
import { splitTranscript } from './transcript.js';

/** What a run does next. */
export type Next =
  | { readonly kind: 'call-tools'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'ask-model' }
  /** The calls wait for a person; the run stands until the last one is decided. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'finish'; readonly reason: FinishReason };

/**
 * The one place that says what comes next. Calls without a result come before everything, so that a recorded model turn is never
 * asked for again; the model is asked only when every call of the last turn has its result; a reply without calls ends the run.
 */
export function decide(state: RunState): Next {
  const { settled, calls, queued } = splitTranscript(state.messages, state.settledResults);
  const open = calls.filter((entry) => !entry.result).map((entry) => entry.call);
  if (open.length > 0) {
    return undecidedCalls(state).length > 0 ? { kind: 'pause' } : { kind: 'call-tools', calls: open };
  }
  const isAnswered = calls.length === 0 && queued.length === 0 && settled.length > 0;
  if (isAnswered) return { kind: 'finish', reason: state.finishReason ?? 'stop' };
  if (state.stepIndex >= state.maxSteps) return { kind: 'finish', reason: 'max-steps' };
  return { kind: 'ask-model' };
}
