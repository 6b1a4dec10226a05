import type { Message } from '../contract/index.js';
import type { ModelRequest, ModelResponse } from './provider.js';
import type { ToolContext } from './tool.js';

export interface ToolHookEvent {
  readonly toolName: string;
  readonly args: unknown;
  readonly context: ToolContext;
  /** A person approved the call: a hook may deny it or answer for it, but not change its arguments. */
  readonly resumedAfterApproval?: true;
}

/** `deny`: the call does not run and the model is told why. `result`: answers in its place. `input`: other arguments, validated again. */
export type BeforeToolOutcome =
  | { readonly deny: string }
  | { readonly result: unknown }
  | { readonly input: unknown }
  | undefined;

export type AfterToolOutcome = { readonly result: unknown } | undefined;

/**
 * Code around the run's calls. Hooks run in their order. Before a call the first `deny` or `result` ends the line, and `input` is passed
 * on; after it each hook sees the result as those before it left it. A hook that throws, or returns what is no outcome, rejects the run
 * with `LOUSHO_HOOK_FAILED`.
 */
export interface AgentHook {
  readonly name: string;
  beforeModelCall?(request: ModelRequest): void | Promise<void>;
  afterModelCall?(response: ModelResponse): void | Promise<void>;
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may simply return nothing
  beforeToolCall?(event: ToolHookEvent): BeforeToolOutcome | void | Promise<BeforeToolOutcome | void>;
  afterToolCall?(
    event: ToolHookEvent & { readonly result: Message },
    // biome-ignore lint/suspicious/noConfusingVoidType: a hook may simply return nothing
  ): AfterToolOutcome | void | Promise<AfterToolOutcome | void>;
}
