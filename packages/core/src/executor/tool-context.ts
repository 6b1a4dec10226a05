import { SDKError, type ToolCall } from '../contract/index.js';
import type { Tool, ToolContext } from '../ports/index.js';
import { ownPausedCall } from '../run/run-state.js';
import type { RunContext } from './run-context.js';
import { toolSteps } from './tool-step.js';

/** The tool of an open call. Calls of unknown tools were answered with their turn, so a missing one has gone since. */
export function toolOf(context: RunContext, call: ToolCall): Tool {
  const tool = context.cast.current.tools.get(call.function.name);
  if (tool) return tool;
  throw new SDKError(
    'LOUSHO_RESUME_TOOL_MISSING',
    `call ${call.id} is pending on tool ${call.function.name}, which ${context.cast.current.name} does not have`,
  );
}

/** What the tool, its gate and the hooks know about a call. */
export function toolContext(context: RunContext, call: ToolCall): ToolContext {
  const { state } = context.recorder;
  const { sessionId, businessState, metadata, principal } = state;
  const decision = ownPausedCall(state, call)?.decision;
  return {
    toolName: call.function.name,
    toolCallId: call.id,
    runId: state.runId,
    stepIndex: state.stepIndex,
    signal: context.stop,
    messages: state.messages,
    step: toolSteps(context, call),
    ...(sessionId !== undefined && { sessionId }),
    ...(context.lease?.epoch !== undefined && { fencingToken: context.lease.epoch }),
    ...(businessState !== undefined && { businessState }),
    ...(metadata !== undefined && { metadata }),
    ...(principal !== undefined && { principal }),
    ...(decision?.approved && {
      approval: {
        id: decision.id,
        ...(decision.note !== undefined && { note: decision.note }),
        ...(decision.by !== undefined && { by: decision.by }),
      },
    }),
  };
}
