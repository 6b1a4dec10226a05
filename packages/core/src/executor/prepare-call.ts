import { type Message, type PausedCall, SDKError, type ToolCall } from '../contract/index.js';
import type { Tool, ToolContext } from '../ports/index.js';
import { ownPausedCall } from '../run/run-state.js';
import {
  deniedResult,
  interruptedResult,
  rejectedResult,
  toolErrorResult,
  toolResult,
} from '../run/tool-result.js';
import { argsToPin, askGate } from './approval-gate.js';
import { HookRunner } from './hook-runner.js';
import type { RunContext } from './run-context.js';
import { toolContext, toolOf } from './tool-context.js';
import { parseArgs, type ValidArgs, validateArgs } from './validate-args.js';

/** A call that needs a person. */
export interface GatedCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  /** As the person is shown them. */
  readonly args: unknown;
  /** The same in canonical form. */
  readonly pinned: string;
}

/** What becomes of an open call. */
export type PreparedCall =
  | {
      readonly kind: 'answered';
      readonly result: Message;
      readonly isFromHook?: true;
      /** A person refused it. */
      readonly isDecided?: true;
    }
  /** `isOnce`: its start is recorded before it runs, and it never runs again. */
  | { readonly kind: 'ready'; readonly args: unknown; readonly isOnce: boolean; readonly isDecided: boolean }
  | { readonly kind: 'gated'; readonly gated: GatedCall };

/**
 * Decides what becomes of an open call: interrupted calls and refused ones are answered; then arguments, hooks and the gate are asked,
 * in this order. Starts nothing.
 */
export async function prepareCall(context: RunContext, call: ToolCall): Promise<PreparedCall> {
  const tool = toolOf(context, call);
  const { startedToolCallIds } = context.recorder.state;
  const paused = ownPausedCall(context.recorder.state, call);
  // Started by an execution that has ended: this one has not begun any of its calls twice.
  const wasStarted = startedToolCallIds.includes(call.id);
  if (paused?.decision && !paused.decision.approved) {
    return { ...answer(refusal(call, paused.decision)), isDecided: true };
  }

  const valid = await parseArgs(tool, call);
  if (!valid.isValid)
    return answer(wasStarted ? interruptedResult(call) : toolErrorResult(call, valid.fault));
  if (wasStarted && !tool.reconcile) return answer(interruptedResult(call));
  const about = toolContext(context, call);
  const hooked = await askHooks(context, call, { valid, about, isResumed: paused !== undefined });
  if (wasStarted) {
    const settled = await reconcile(tool, call, hooked.kind === 'valid' ? hooked : valid, about, paused);
    if (settled) return answer(settled);
  }
  if (hooked.kind === 'answered') return hooked;
  const { args, pinned } = argsToPin(hooked);
  if (paused) {
    if (paused.pinnedArgs !== undefined && paused.pinnedArgs !== pinned) return answer(changedArgs(call));
    return { kind: 'ready', args: hooked.args, isOnce: true, isDecided: true };
  }
  const gate = await askGate(tool, hooked.args, about);
  if (gate.kind === 'denied') return answer(deniedResult(call, gate.reason));
  if (gate.kind === 'open') {
    return { kind: 'ready', args: hooked.args, isOnce: tool.rerun === 'never', isDecided: false };
  }
  if (!context.approvals) throw noApprovals(tool);
  return { kind: 'gated', gated: { call, tool, args, pinned } };
}

function answer(result: Message, isFromHook = false): PreparedCall & { kind: 'answered' } {
  return { kind: 'answered', result, ...(isFromHook && { isFromHook: true as const }) };
}

function refusal(call: ToolCall, decision: NonNullable<PausedCall['decision']>): Message {
  return decision.isExpired
    ? deniedResult(call, 'the approval had expired when the decision came')
    : rejectedResult(call, decision.note);
}

/**
 * The result of an interrupted call, or nothing when a look at the world proves that its effect did not happen: then it runs as any
 * call does. The look is at the arguments that the call ran with, which are not the model's where a hook changes them.
 */
async function reconcile(
  tool: Tool,
  call: ToolCall,
  valid: ValidArgs,
  about: ToolContext,
  paused: PausedCall | undefined,
): Promise<Message | undefined> {
  const isKnown = paused?.pinnedArgs === undefined || paused.pinnedArgs === argsToPin(valid).pinned;
  if (!isKnown) return interruptedResult(call);
  try {
    const seen = await tool.reconcile?.(valid.args, about);
    if (seen?.outcome === 'happened') return toolResult(call, seen.result);
    if (seen?.outcome === 'not-happened') return undefined;
  } catch {
    // Not knowing is what the interrupted result says.
  }
  return interruptedResult(call);
}

async function askHooks(
  context: RunContext,
  call: ToolCall,
  asked: { readonly valid: ValidArgs; readonly about: ToolContext; readonly isResumed: boolean },
): Promise<(PreparedCall & { kind: 'answered' }) | (ValidArgs & { kind: 'valid' })> {
  const tool = toolOf(context, call);
  const { valid, about, isResumed } = asked;
  let { input } = valid;
  const event = {
    toolName: tool.name,
    args: valid.args,
    context: about,
    ...(isResumed && { resumedAfterApproval: true as const }),
  };
  try {
    const outcome = await new HookRunner(context.hooks).beforeToolCall(event, {
      answer: (value) => toolResult(call, value),
      revalidate: async (changed) => {
        const checked = await validateArgs(tool, changed);
        if (!checked.isValid) throw new RefusedInput(toolErrorResult(call, checked.fault));
        input = changed;
        return checked.args;
      },
    });
    if ('deny' in outcome) return answer(deniedResult(call, outcome.deny));
    if ('result' in outcome) return answer(outcome.result, true);
    return { kind: 'valid', isValid: true, input, args: outcome.input };
  } catch (refused) {
    if (refused instanceof RefusedInput) return answer(refused.result);
    throw refused;
  }
}

function changedArgs(call: ToolCall): Message {
  return toolErrorResult(call, {
    kind: 'validation',
    error: 'ToolArgumentsValidationError',
    message: `${call.function.name} did not run: its arguments are not the ones that were approved`,
    extra: { issues: [] },
  });
}

function noApprovals(tool: Tool): SDKError {
  return new SDKError(
    'LOUSHO_APPROVAL_STORE_MISSING',
    `tool ${tool.name} needs approval, and there is no approval store`,
  );
}

class RefusedInput {
  constructor(readonly result: Message) {}
}
