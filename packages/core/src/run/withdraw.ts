import type { Message, ToolCall } from '../contract/index.js';
import { ownPausedCall, type RunState } from './run-state.js';
import { cancelledResult, interruptedResult, notRunResult } from './tool-result.js';
import { openCalls } from './transcript.js';

/** Why open calls do not run any more. */
export interface Withdrawal {
  /** In the words of a result: "charge did not run: ..." */
  readonly why: string;
  /** They were open when the run was loaded: an earlier process may have started them. */
  readonly mayHaveStarted: boolean;
}

export const WHY_ABORTED = 'the run was aborted';
export const WHY_STEERED = 'new input came first';

/**
 * The result of an open call that this execution does not run. A start mark says that a call was started, and a pause that it was not;
 * for others only the caller knows.
 */
export function withdrawnResult(
  state: RunState,
  call: ToolCall,
  { why, mayHaveStarted }: Withdrawal,
): Message {
  if (state.startedToolCallIds.includes(call.id)) return interruptedResult(call);
  const isPaused = ownPausedCall(state, call) !== undefined;
  return mayHaveStarted && !isPaused ? cancelledResult(call, why) : notRunResult(call, why);
}

/** The results with which a model turn is recorded: a steer that came while the model spoke keeps its calls from starting. */
export function refusedBySteer(
  state: RunState,
  turn: Message,
  refused: readonly Message[],
): readonly Message[] {
  if (!state.queuedInputs.some((input) => input.isSteer)) return refused;
  const unstarted = openCalls([turn], refused).map((call) => notRunResult(call, WHY_STEERED));
  return [...refused, ...unstarted];
}
