import { expected, type Message, SDKError } from '../contract/index.js';
import type { AgentHook, ModelRequest, ModelResponse, ToolHookEvent } from '../ports/index.js';

/** Runs the hooks around model and tool calls, in their order. A hook that throws rejects the run with `LOUSHO_HOOK_FAILED`. */
export class HookRunner {
  constructor(readonly hooks: readonly AgentHook[]) {}

  async beforeModelCall(request: ModelRequest): Promise<void> {
    for (const hook of this.hooks)
      await guarded(hook, 'beforeModelCall', () => hook.beforeModelCall?.(request));
  }

  async afterModelCall(response: ModelResponse): Promise<void> {
    for (const hook of this.hooks)
      await guarded(hook, 'afterModelCall', () => hook.afterModelCall?.(response));
  }

  /**
   * The first `deny` or `result`, or the input as the hooks left it. `answer` makes the call's result of a hook's, `revalidate` checks
   * each changed input.
   */
  async beforeToolCall(
    event: ToolHookEvent,
    { answer, revalidate }: BeforeToolParts,
  ): Promise<{ deny: string } | { result: Message } | { input: unknown }> {
    let { args } = event;
    for (const hook of this.hooks) {
      const outcome = await guarded(hook, 'beforeToolCall', async () =>
        readBefore(await hook.beforeToolCall?.({ ...event, args }), answer),
      );
      if (!outcome) continue;
      if (!('input' in outcome)) return outcome;
      args = await revalidate(outcome.input);
    }
    return { input: args };
  }

  /** The call's result as the hooks left it: the same message where none of them had another. */
  async afterToolCall(
    event: ToolHookEvent & { readonly result: Message },
    answer: (value: unknown) => Message,
  ): Promise<Message> {
    let { result } = event;
    for (const hook of this.hooks) {
      result = await guarded(hook, 'afterToolCall', async () => {
        const outcome = readAfter(await hook.afterToolCall?.({ ...event, result }));
        return outcome ? answer(outcome.result) : result;
      });
    }
    return result;
  }
}

interface BeforeToolParts {
  /** Throws for a value that cannot be stored. */
  readonly answer: (value: unknown) => Message;
  readonly revalidate: (input: unknown) => Promise<unknown>;
}

/**
 * A hook may be a guard: what it returns without saying one of the three is a mistake, never a permission, and a denial holds whatever
 * stands beside it.
 */
function readBefore(
  outcome: unknown,
  answer: (value: unknown) => Message,
): { deny: string } | { result: Message } | { input: unknown } | undefined {
  if (outcome === undefined || outcome === null) return undefined;
  const { deny, result, input } = outcome as { deny?: unknown; result?: unknown; input?: unknown };
  if (has(outcome, 'deny') && typeof deny === 'string') return { deny };
  if (has(outcome, 'deny')) throw expected('deny', 'a reason', deny);
  if (has(outcome, 'result')) return { result: answer(result) };
  if (has(outcome, 'input')) return { input };
  throw expected('its outcome', '{ deny }, { result }, { input } or nothing', outcome);
}

/** A hook may be there to keep something out of the transcript: what it returns without saying so is a mistake. */
function readAfter(outcome: unknown): { readonly result: unknown } | undefined {
  if (outcome === undefined || outcome === null) return undefined;
  if (has(outcome, 'result')) return outcome as { readonly result: unknown };
  throw expected('its outcome', '{ result } or nothing', outcome);
}

function has(outcome: unknown, key: string): boolean {
  return typeof outcome === 'object' && outcome !== null && key in outcome;
}

async function guarded<T>(hook: AgentHook, method: string, run: () => T): Promise<Awaited<T>> {
  try {
    return await run();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SDKError('LOUSHO_HOOK_FAILED', `hook ${hook.name}.${method}() threw: ${reason}`, { cause });
  }
}
