import { encode, type Message, type ToolCall } from '../contract/index.js';
import type { Tool, ToolContext } from '../ports/index.js';
import { cancelledResult, thrownResult, toolResult } from '../run/tool-result.js';
import { WHY_ABORTED } from '../run/withdraw.js';
import { HookRunner } from './hook-runner.js';
import { isPropagating } from './propagating.js';
import type { RunContext } from './run-context.js';
import type { SettledCall } from './settled-call.js';
import type { SubagentQuestion, TaskOutcome } from './subagents/delegates.js';
import { toolContext, toolOf } from './tool-context.js';

/** What became of a call that was run: its result, or what a sub-agent has to ask a person first. */
export type RanCall = SettledCall | { readonly questions: readonly SubagentQuestion[] };

/** Runs the tool and turns what it returns or throws into the call's result. Rejects only for a `PropagatingToolError` or a hook. */
export async function runCall(
  context: RunContext,
  call: ToolCall,
  request: { readonly args: unknown; readonly isDecided: boolean },
): Promise<RanCall> {
  const tool = toolOf(context, call);
  const about = toolContext(context, call);
  const { args } = request;
  const startedAt = context.timers.monotonic();
  const type = request.isDecided ? 'tool.resume' : 'tool.start';
  context.emit({ type, toolCallId: call.id, toolName: tool.name, args: tellable(call, args) });
  const outcome = await context.tasks?.call(context, call, args);
  if (outcome?.kind === 'suspended') return { questions: outcome.questions };
  const own = outcome ? taskOutcome(context, call, outcome) : await execute(context, tool, call, args, about);
  const event = { toolName: tool.name, args, context: about, result: own };
  const result = await new HookRunner(context.hooks).afterToolCall(event, (value) => toolResult(call, value));
  const durationMs = context.timers.monotonic() - startedAt;
  return {
    result,
    durationMs,
    ...(result !== own && { isFromHook: true as const }),
    ...(outcome?.task && { task: outcome.task }),
  };
}

function taskOutcome(
  context: RunContext,
  call: ToolCall,
  outcome: Exclude<TaskOutcome, { kind: 'suspended' }>,
): Message {
  if (context.aborted.aborted) return cancelledResult(call, WHY_ABORTED);
  return outcome.kind === 'failed' ? thrownResult(call, outcome.error) : toolResult(call, outcome.value);
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
    if (context.aborted.aborted) return cancelledResult(call, WHY_ABORTED);
    return thrownResult(call, thrown);
  }
}

/** Arguments as an event can carry them: as the schema made them where that is JSON, otherwise as the model wrote them. */
export function tellable(call: ToolCall, args: unknown): unknown {
  try {
    return JSON.parse(encode(args ?? null));
  } catch {
    return rawArgs(call);
  }
}

/** The arguments as the model wrote them; its text where they are not JSON. */
export function rawArgs(call: ToolCall): unknown {
  try {
    return JSON.parse(call.function.arguments || '{}');
  } catch {
    return call.function.arguments;
  }
}
