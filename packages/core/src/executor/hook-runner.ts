import { expected, type Message, SDKError } from '../contract/index.js';
import type {
  AgentHook,
  BeforeToolOutcome,
  ModelRequest,
  ModelResponse,
  ToolHookEvent,
} from '../ports/index.js';

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

  /** The first `deny` or `result`, or the input as the hooks left it. `revalidate` checks each changed input. */
  async beforeToolCall(
    event: ToolHookEvent,
    revalidate: (input: unknown) => Promise<unknown>,
  ): Promise<BeforeToolOutcome & object> {
    let { args } = event;
    for (const hook of this.hooks) {
      const outcome = await guarded(hook, 'beforeToolCall', async () =>
        readOutcome(await hook.beforeToolCall?.({ ...event, args })),
      );
      if (!outcome) continue;
      if (!('input' in outcome)) return outcome;
      args = await revalidate(outcome.input);
    }
    return { input: args };
  }

  /** Another result for the call, if a hook has one. */
  async afterToolCall(event: ToolHookEvent & { result: Message }): Promise<{ result: unknown } | undefined> {
    for (const hook of this.hooks) {
      const outcome = await guarded(hook, 'afterToolCall', () => hook.afterToolCall?.(event));
      if (outcome) return outcome;
    }
    return undefined;
  }
}

/** A hook may be a guard: what it returns without saying one of the three is a mistake, never a permission. */
function readOutcome(outcome: unknown): BeforeToolOutcome {
  if (outcome === undefined || outcome === null) return undefined;
  const isOutcome =
    typeof outcome === 'object' && ('deny' in outcome || 'result' in outcome || 'input' in outcome);
  if (isOutcome) return outcome as BeforeToolOutcome;
  throw expected('its outcome', '{ deny }, { result }, { input } or nothing', outcome);
}

async function guarded<T>(hook: AgentHook, method: string, run: () => T): Promise<Awaited<T>> {
  try {
    return await run();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SDKError('LOUSHO_HOOK_FAILED', `hook ${hook.name}.${method}() threw: ${reason}`, { cause });
  }
}
