import type { ToolCall } from '../contract/index.js';
import { handoffResult } from '../run/handoff.js';
import type { RunContext } from './run-context.js';

/** Whether a call hands the run over. */
export function isTransfer({ cast }: RunContext, call: ToolCall): boolean {
  return cast.current.handoffs.has(call.function.name);
}

/**
 * Hands the run over to the agent of a transfer. Who acts changes with the save of the call's result and not before: a process that
 * dies on the way leaves the call open, and it is made again.
 */
export async function handOver({ cast, recorder, emit, watch }: RunContext, call: ToolCall): Promise<void> {
  const from = cast.current.name;
  const target = await cast.targetOf(call.function.name);
  const to = target.name;
  const result = handoffResult(call, { from, to, ...target.chosen });
  await recorder.record({ kind: 'handed-over', result, agentFingerprint: await target.fingerprint });
  cast.handOver(target);
  watch?.note({ kind: 'handoff', from, to, toolCallId: call.id });
  emit({ type: 'handoff', from, to, toolCallId: call.id });
}
