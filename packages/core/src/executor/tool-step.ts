import { ConfigurationError, decode, encode, expected, type ToolCall } from '../contract/index.js';
import type { ToolContext } from '../ports/index.js';
import type { RunContext } from './run-context.js';

/** `context.step()` of one call. */
export function toolSteps(context: RunContext, call: ToolCall): ToolContext['step'] {
  const begun = new Set<string>();
  return async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    if (typeof name !== 'string' || name === '') throw expected('step', 'a name', name);
    if (begun.has(name)) {
      throw new ConfigurationError(
        `Expected each step of a call to have its own name, got \`${name}\` twice`,
        { field: 'step' },
      );
    }
    begun.add(name);
    const kept = context.recorder.state.toolSteps[call.id];
    if (kept && Object.hasOwn(kept, name)) return kept[name] as T;
    await context.lease?.assertHeld();
    // Through the codec, so that the first run sees what a later one would be given.
    const value = decode(encode((await work()) ?? null, `step ${name}`));
    await context.recorder.record({ kind: 'step-settled', toolCallId: call.id, name, value });
    return value as T;
  };
}
