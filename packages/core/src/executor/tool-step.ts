import { ConfigurationError, decode, encode, expected, type ToolCall } from '../contract/index.js';
import type { ToolContext } from '../ports/index.js';
import { openCalls } from '../run/transcript.js';
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
    try {
      return (await runStep(context, call, name, work)) as T;
    } catch (error) {
      // It has no value, so that it may be tried again.
      begun.delete(name);
      throw error;
    }
  };
}

async function runStep(
  context: RunContext,
  call: ToolCall,
  name: string,
  work: () => unknown,
): Promise<unknown> {
  const { recorder, lease } = context;
  const open = assertOpen(context, call, name);
  const kept = recorder.state.toolSteps[call.id];
  if (open === 1 && kept && Object.hasOwn(kept, name)) return kept[name];
  await lease?.assertHeld();
  // Through the codec, so that the first run sees what a later one would be given.
  const value = decode(encode((await work()) ?? null, `step ${name}`));
  // Of two calls with one id in a turn, nobody could say later whose value it was.
  if (assertOpen(context, call, name) === 1 && open === 1)
    await recorder.record({ kind: 'step-settled', toolCallId: call.id, name, value });
  return value;
}

/** How many calls of the id are open. A step behind the end of its call would write into whatever the run has become. */
function assertOpen({ recorder }: RunContext, call: ToolCall, name: string): number {
  const { messages, settledResults } = recorder.state;
  const open = openCalls(messages, settledResults).filter(({ id }) => id === call.id).length;
  if (open > 0) return open;
  throw new ConfigurationError(
    `step \`${name}\` of ${call.function.name} came behind the end of its call: a tool must wait for its steps`,
    { field: 'step' },
  );
}
