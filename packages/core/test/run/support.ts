import type { Message, ToolCall } from '@lousho/core/contract';
import type { RunState } from '../../dist/run/run-state.js';

export const call = (id: string, name = 'work'): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
});

export const user = (content: string): Message => ({ role: 'user', content });
export const asking = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => call(id)),
});
export const saying = (content: string): Message => ({ role: 'assistant', content });
export const result = (id: string, content = `"${id}"`): Message => ({
  role: 'tool',
  toolCallId: id,
  toolName: 'work',
  content,
});

/** A run of which a test names only what matters. */
export function state(fields: Partial<RunState> = {}): RunState {
  return deepFrozen({
    sessionId: 's',
    runId: 'r',
    messages: [user('Go')],
    settledResults: [],
    queuedInputs: [],
    pausedCalls: [],
    startedToolCallIds: [],
    toolSteps: {},
    runStart: { messageIndex: 0, messageCount: 1 },
    stepIndex: 0,
    maxSteps: 10,
    ownMaxSteps: undefined,
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, modelCalls: 0 },
    finishReason: undefined,
    failure: undefined,
    delegatedInFlight: undefined,
    subagents: undefined,
    delegatedBy: undefined,
    businessState: undefined,
    principal: undefined,
    metadata: undefined,
    agentId: undefined,
    agentFingerprint: undefined,
    runConfig: undefined,
    trace: undefined,
    carried: {},
    ...fields,
  });
}

/** Every order of some values. */
export function permutations<T>(values: readonly T[]): T[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((value, index) =>
    permutations(values.filter((_, other) => other !== index)).map((rest) => [value, ...rest]),
  );
}

/** Every way to take some of the values. */
export function subsets<T>(values: readonly T[]): T[][] {
  const [first, ...rest] = values;
  if (first === undefined) return [[]];
  const without = subsets(rest);
  return [...without, ...without.map((some) => [first, ...some])];
}

/** So that a test fails where a pure function writes into what it was given. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const entry of Object.values(value)) deepFrozen(entry);
  return Object.freeze(value);
}
