import { encode, type Message, type ToolCall } from '../contract/index.js';
import type { ObservedToolCall, Tool, ToolCallOutcome, ToolContext } from '../ports/index.js';
import type { EndedTask } from '../run/delegation.js';
import { cancelledResult, thrownResult, toolResult } from '../run/tool-result.js';
import { WHY_ABORTED } from '../run/withdraw.js';
import { HookRunner } from './hook-runner.js';
import { isPropagating } from './propagating.js';
import type { RunContext } from './run-context.js';
import type { SettledCall } from './settled-call.js';
import type { SubagentQuestion, TaskOutcome } from './subagents/delegates.js';
import { toolContext, toolOf } from './tool-context.js';
import { watched } from './watch.js';

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
  const ran = await watched(
    context.watch,
    (observer, parent) => observer.toolCall?.(observedCall(tool, about, request), parent),
    (watch) => carryOut(watch ? { ...context, watch } : context, call, { tool, about, args }),
    callOutcome,
  );
  if ('questions' in ran) return ran;
  const own = ran.result;
  const event = { toolName: tool.name, args, context: about, result: own };
  const result = await new HookRunner(context.hooks).afterToolCall(event, (value) => toolResult(call, value));
  const durationMs = context.timers.monotonic() - startedAt;
  return {
    result,
    durationMs,
    ...(result !== own && { isFromHook: true as const }),
    ...(ran.task && { task: ran.task }),
  };
}

/** What a tool, or a sub-agent, came to. `error`: what it threw, where the result says so to the model. */
type OwnOutcome =
  | { readonly result: Message; readonly error?: unknown; readonly task?: EndedTask }
  | { readonly questions: readonly SubagentQuestion[] };

async function carryOut(
  context: RunContext,
  call: ToolCall,
  { tool, about, args }: { readonly tool: Tool; readonly about: ToolContext; readonly args: unknown },
): Promise<OwnOutcome> {
  const outcome = await context.tasks?.call(context, call, args);
  if (outcome?.kind === 'suspended') return { questions: outcome.questions };
  return outcome ? taskOutcome(context, call, outcome) : execute(context, tool, call, args, about);
}

function taskOutcome(
  context: RunContext,
  call: ToolCall,
  outcome: Exclude<TaskOutcome, { kind: 'suspended' }>,
): OwnOutcome {
  const task = outcome.task && { task: outcome.task };
  if (context.aborted?.aborted) return { result: cancelledResult(call, WHY_ABORTED), ...task };
  if (outcome.kind === 'answered') return { result: toolResult(call, outcome.value), ...task };
  return { result: thrownResult(call, outcome.error), error: outcome.error, ...task };
}

async function execute(
  context: RunContext,
  tool: Tool,
  call: ToolCall,
  args: unknown,
  about: ToolContext,
): Promise<OwnOutcome> {
  try {
    return { result: toolResult(call, await tool.execute(args, about)) };
  } catch (thrown) {
    if (isPropagating(thrown)) throw thrown;
    // A tool that gave up because the run was aborted was cancelled; it did not fail.
    if (context.aborted?.aborted) return { result: cancelledResult(call, WHY_ABORTED) };
    return { result: thrownResult(call, thrown), error: thrown };
  }
}

function observedCall(
  { name, description }: Tool,
  { toolCallId, stepIndex }: ToolContext,
  { args, isDecided }: { readonly args: unknown; readonly isDecided: boolean },
): ObservedToolCall {
  return { toolName: name, toolCallId, description, step: stepIndex, args, isDecided };
}

function callOutcome(ran: OwnOutcome): ToolCallOutcome {
  if ('questions' in ran) return { isSuspended: true };
  const { result, error } = ran;
  return { result, ...(error !== undefined && { error }) };
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
