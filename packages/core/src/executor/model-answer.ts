import { type Message, SDKError, type ToolCall } from '../contract/index.js';
import type { LLMProvider, ModelResponse } from '../ports/index.js';
import type { Fact } from '../run/apply.js';
import { refusedTransfers } from '../run/handoff.js';
import type { FinishReason } from '../run/run-state.js';
import { notFoundResult } from '../run/tool-result.js';
import type { Cast } from './cast.js';
import type { RunContext } from './run-context.js';

export type ModelAnswered = Extract<Fact, { kind: 'model-answered' }>;

const FINISH_REASONS: ReadonlySet<string> = new Set([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'error',
  'other',
]);

/** A response as the fact that the run records. */
export function modelAnswer(response: ModelResponse, context: RunContext): ModelAnswered {
  const toolCalls = withUniqueIds(response.toolCalls ?? [], context);
  const message: Message = {
    role: 'assistant',
    content: response.text ?? '',
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(response.reasoning && { reasoning: response.reasoning }),
    ...(response.providerParts && { providerParts: response.providerParts }),
    ...(response.usage && { usage: response.usage }),
  };
  return {
    kind: 'model-answered',
    message,
    finishReason: finishReason(response, toolCalls.length > 0),
    refused: refusals(toolCalls, context.cast),
  };
}

/**
 * Calls of tools that do not exist, and transfers that are too many, get their result with the turn itself. So a call that is found without one after a crash named
 * a tool that existed when the model asked.
 */
function refusals(calls: readonly ToolCall[], { current, handoffs }: Cast): Message[] {
  const { tools } = current;
  const unknown = calls.filter((call) => !tools.has(call.function.name));
  const transfers = calls.filter((call) => current.handoffs.has(call.function.name));
  return [
    ...unknown.map((call) => notFoundResult(call, [...tools.keys()])),
    ...refusedTransfers(transfers, handoffs),
  ];
}

/** Each call of a turn needs an id of its own: results are matched by it, and providers refuse a turn with two equal ones. */
function withUniqueIds(calls: readonly ToolCall[], context: RunContext): ToolCall[] {
  const used = new Set<string>();
  return calls.map((call) => {
    const { name, arguments: raw } = call?.function ?? {};
    if (typeof name !== 'string')
      throw invalidResponse(context.cast.current.provider, 'a tool call without a name');
    const text = typeof raw === 'string' ? raw : JSON.stringify(raw ?? {});
    let id = typeof call.id === 'string' && call.id !== '' ? call.id : `call_${context.ids.next()}`;
    for (let copy = 2; used.has(id); copy++) id = `${call.id}_${copy}`;
    used.add(id);
    return { id, type: 'function', function: { name, arguments: text } };
  });
}

function finishReason(response: ModelResponse, hasCalls: boolean): FinishReason {
  const told = response.finishReason ?? (hasCalls ? 'tool_calls' : 'stop');
  return FINISH_REASONS.has(told) ? told : 'other';
}

/** The error of a provider that does not keep to its port. */
export function invalidResponse(provider: LLMProvider, got: string): SDKError {
  return new SDKError(
    'LOUSHO_PROVIDER_RESPONSE_INVALID',
    `Expected provider ${provider.name} to answer with text or tool calls, got ${got}`,
  );
}
