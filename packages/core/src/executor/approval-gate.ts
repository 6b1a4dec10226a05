import { SDKError } from '../contract/index.js';
import { assertApprovalNeed, type Tool, type ToolContext } from '../ports/index.js';
import { canonical } from '../run/canonical.js';
import type { ValidArgs } from './validate-args.js';

export type GateAnswer =
  | { readonly kind: 'open' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'denied'; readonly reason: string };

/** Whether a person is asked about this call. A `needsApproval` that throws rejects the run: it must not be taken for a no. */
export async function askGate(tool: Tool, args: unknown, context: ToolContext): Promise<GateAnswer> {
  const need = await needOf(tool, args, context);
  assertApprovalNeed(tool.name, need);
  if (need === true || need === 'ask') return { kind: 'ask' };
  if (need === false || need === 'approve') return { kind: 'open' };
  return { kind: 'denied', reason: need === 'deny' ? 'this call is not allowed' : need.deny };
}

async function needOf(tool: Tool, args: unknown, context: ToolContext): Promise<unknown> {
  const { needsApproval = false } = tool;
  if (typeof needsApproval !== 'function') return needsApproval;
  try {
    return await needsApproval(args, context);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SDKError('LOUSHO_HOOK_FAILED', `needsApproval of tool ${tool.name} threw: ${reason}`, {
      cause,
    });
  }
}

/** What a person is shown and the call is held to: the validated arguments, or what was validated where those are not JSON. */
export function argsToPin(valid: ValidArgs): { readonly args: unknown; readonly pinned: string } {
  try {
    return { args: valid.args, pinned: canonical(valid.args) };
  } catch {
    return { args: valid.input, pinned: canonical(valid.input) };
  }
}
