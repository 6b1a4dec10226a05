import { encode, type Message, SDKError, type ToolCall } from '../contract/index.js';
import type { Tool, ToolContext } from '../ports/index.js';
import { cancelledResult, thrownResult, toolErrorResult, toolResult } from '../run/tool-result.js';
import { HookRunner } from './hook-runner.js';
import { isPropagating } from './propagating.js';
import type { RunContext } from './run-context.js';
import { parseArgs, validateArgs } from './validate-args.js';

/** A call that is ready to start, or that was answered without starting. */
export type PreparedCall =
  | { readonly kind: 'answered'; readonly result: Message; readonly isFromHook?: true }
  | { readonly kind: 'ready'; readonly args: unknown };

/** Validates the arguments and asks the hooks. Starts nothing. */
export async function prepareCall(context: RunContext, call: ToolCall): Promise<PreparedCall> {
  const tool = toolOf(context, call);
  const first = await parseArgs(tool, call);
  if (!first.isValid) return { kind: 'answered', result: toolErrorResult(call, first.fault) };
  const event = { toolName: tool.name, args: first.args, context: toolContext(context, call) };
  try {
    const outcome = await new HookRunner(context.hooks).beforeToolCall(event, async (input) => {
      const changed = await validateArgs(tool, input);
      if (!changed.isValid) throw new RefusedInput(toolErrorResult(call, changed.fault));
      return changed.args;
    });
    if ('deny' in outcome) return { kind: 'answered', result: denied(call, outcome.deny) };
    if ('result' in outcome)
      return { kind: 'answered', result: toolResult(call, outcome.result), isFromHook: true };
    return { kind: 'ready', args: outcome.input };
  } catch (refused) {
    if (refused instanceof RefusedInput) return { kind: 'answered', result: refused.result };
    throw refused;
  }
}

/** Runs the tool and turns what it returns or throws into the call's result. Rejects only for a `PropagatingToolError` or a hook. */
export async function runCall(context: RunContext, call: ToolCall, args: unknown): Promise<Message> {
  const tool = toolOf(context, call);
  const about = toolContext(context, call);
  const startedAt = context.timers.monotonic();
  context.emit({ type: 'tool.start', toolCallId: call.id, toolName: tool.name, args: tellable(call, args) });
  const result = await execute(context, tool, call, args, about);
  const replaced = await new HookRunner(context.hooks).afterToolCall({
    toolName: tool.name,
    args,
    context: about,
    result,
  });
  const final = replaced ? toolResult(call, replaced.result) : result;
  emitSettled(context, final, context.timers.monotonic() - startedAt, replaced !== undefined);
  return final;
}

/** Tells the listeners of a result. */
export function emitSettled(
  context: RunContext,
  result: Message,
  durationMs: number,
  isFromHook = false,
): void {
  const about = { toolCallId: result.toolCallId ?? '', toolName: result.toolName ?? '', durationMs };
  // Plain JSON, bytes as in the transcript: an event can be sent on as text.
  const value: unknown = JSON.parse(result.content as string);
  if (result.isError) {
    const { error, message } = value as { error: string; message: string };
    context.emit({ type: 'tool.error', ...about, error: { name: error, message } });
  } else {
    context.emit({ type: 'tool.done', ...about, result: value, ...(isFromHook && { replacedByHook: true }) });
  }
}

async function execute(
  context: RunContext,
  tool: Tool,
  call: ToolCall,
  args: unknown,
  about: ToolContext,
): Promise<Message> {
  try {
    return toolResult(call, await tool.execute(args, about));
  } catch (thrown) {
    if (isPropagating(thrown)) throw thrown;
    // A tool that gave up because the run was aborted was cancelled; it did not fail.
    if (context.aborted.aborted) return cancelledResult(call);
    return thrownResult(call, thrown);
  }
}

/** Arguments as an event can carry them: as the schema made them where that is JSON, otherwise as the model wrote them. */
function tellable(call: ToolCall, args: unknown): unknown {
  try {
    return JSON.parse(encode(args ?? null));
  } catch {
    return JSON.parse(call.function.arguments || '{}');
  }
}

function toolOf(context: RunContext, call: ToolCall): Tool {
  const tool = context.tools.get(call.function.name);
  if (tool) return tool;
  throw new SDKError(
    'LOUSHO_RESUME_TOOL_MISSING',
    `call ${call.id} is pending on tool ${call.function.name}, which ${context.agentName} does not have`,
  );
}

function toolContext(context: RunContext, call: ToolCall): ToolContext {
  const { state } = context.recorder;
  const { sessionId, businessState, metadata, principal } = state;
  return {
    toolName: call.function.name,
    toolCallId: call.id,
    runId: state.runId,
    step: state.stepIndex,
    signal: context.stop,
    messages: state.messages,
    ...(sessionId !== undefined && { sessionId }),
    ...(context.lease?.epoch !== undefined && { fencingToken: context.lease.epoch }),
    ...(businessState !== undefined && { businessState }),
    ...(metadata !== undefined && { metadata }),
    ...(principal !== undefined && { principal }),
  };
}

function denied(call: ToolCall, reason: string): Message {
  return toolErrorResult(call, {
    kind: 'denied',
    error: 'ToolDeniedError',
    message: `${call.function.name} was denied: ${reason}`,
    extra: { reason },
  });
}

class RefusedInput {
  constructor(readonly result: Message) {}
}
