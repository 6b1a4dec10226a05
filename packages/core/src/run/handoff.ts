import type { Message, ToolCall } from '../contract/index.js';
import { notRunResult, toolResult } from './tool-result.js';

/** Noted on the result of a transfer: from there on the run is with another agent. */
export interface HandoffMark {
  readonly from: string;
  readonly to: string;
  /** The model that was chosen for a dynamic agent; `null` chose its provider's own. */
  readonly model?: string | null;
}

/** The result of the call that hands the run over. */
export function handoffResult(call: ToolCall, mark: HandoffMark): Message {
  return { ...toolResult(call, `Transferred to ${mark.to}.`), metadata: { handoff: mark } };
}

/** The transfers of a run, in order: who acts is the last one's target. */
export function handoffsIn(messages: readonly Message[]): readonly HandoffMark[] {
  return messages.flatMap(({ role, metadata }) => {
    const mark = metadata?.handoff as Partial<HandoffMark> | undefined;
    return role === 'tool' && typeof mark?.to === 'string' ? [mark as HandoffMark] : [];
  });
}

/**
 * Which of a turn's open calls are due: a transfer waits for all others, so that each call is carried out by the agent that asked for
 * it, also when one of them waits for a person or the process dies in between.
 */
export function dueCalls(
  open: readonly ToolCall[],
  isTransfer: (call: ToolCall) => boolean,
): readonly ToolCall[] {
  const others = open.filter((call) => !isTransfer(call));
  return others.length > 0 ? others : open;
}

/** Results of the transfers that a turn may not make: all behind the first one, and every one when none is left. */
export function refusedTransfers(
  transfers: readonly ToolCall[],
  { done, max }: { readonly done: number; readonly max: number },
): readonly Message[] {
  if (done >= max)
    return transfers.map((call) => notRunResult(call, `a run is handed over ${max} times at most`));
  return transfers.slice(1).map((call) => notRunResult(call, 'only one transfer is made in a turn'));
}
