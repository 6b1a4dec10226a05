import { type ContentPart, type Message, SDKError, type ToolCall } from '../contract/index.js';
import type { LLMProvider, ModelRequest, ModelResponse, ModelStreamPart, Tool } from '../ports/index.js';
import type { Fact } from '../run/apply.js';
import { isRetryable } from '../run/last-error.js';
import type { FinishReason, RunState } from '../run/run-state.js';
import { wellFormed } from '../run/text.js';
import { notFoundResult } from '../run/tool-result.js';
import { HookRunner } from './hook-runner.js';
import type { RunContext } from './run-context.js';

type ModelAnswered = Extract<Fact, { kind: 'model-answered' }>;

const FINISH_REASONS: ReadonlySet<string> = new Set([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'error',
  'other',
]);

/**
 * One model call. `null` when it was aborted: a provider that ignores the signal is not waited for.
 * Rejects with `LOUSHO_PROVIDER_REQUEST_FAILED` (the provider's error as its cause) when the call fails.
 */
export async function askModel(context: RunContext): Promise<ModelAnswered | null> {
  const { state } = context.recorder;
  const request = modelRequest(context, state);
  const hooks = new HookRunner(context.hooks);
  await hooks.beforeModelCall(request);
  await context.lease?.assertHeld();
  if (context.stop.aborted) return null;
  const response = await untilStopped(context.stop, callProvider(context, request));
  if (response === STOPPED) return null;
  await hooks.afterModelCall(response);
  return answered(response, context);
}

function modelRequest(context: RunContext, state: RunState): ModelRequest {
  const model = context.model ?? context.provider.defaultModel;
  return {
    ...(model !== undefined && { model }),
    messages: state.messages.map(sendable),
    tools: [...context.tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    signal: context.stop,
    ...(state.sessionId !== undefined && { sessionId: state.sessionId }),
    step: state.stepIndex + 1,
  };
}

/** The store is faithful to half an emoji; a provider's UTF-8 request is not. Signed reasoning blocks are handed back untouched. */
function sendable(message: Message): Message {
  const { content, toolCalls } = message;
  return {
    ...message,
    content: typeof content === 'string' ? wellFormed(content) : content.map(sendablePart),
    ...(toolCalls && { toolCalls: toolCalls.map(sendableCall) }),
  };
}

function sendablePart(part: ContentPart): ContentPart {
  return part.type === 'text' ? { ...part, text: wellFormed(part.text) } : part;
}

function sendableCall(call: ToolCall): ToolCall {
  return { ...call, function: { ...call.function, arguments: wellFormed(call.function.arguments) } };
}

async function callProvider(context: RunContext, request: ModelRequest): Promise<ModelResponse> {
  const { provider } = context;
  try {
    const response =
      context.streamsText && provider.stream
        ? await streamed(provider.stream(request), context)
        : await generated(provider, request, context);
    assertResponse(provider, response);
    return response;
  } catch (cause) {
    if (cause instanceof SDKError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SDKError('LOUSHO_PROVIDER_REQUEST_FAILED', `provider ${provider.name}: ${reason}`, {
      cause,
      retryable: isRetryable(cause),
    });
  }
}

/** What is not as the port says would otherwise be stored, and be found out only by the next request. */
function assertResponse(provider: LLMProvider, response: unknown): void {
  if (typeof response !== 'object' || response === null) throw invalid(provider, 'no response object');
  const { text, toolCalls } = response as { text?: unknown; toolCalls?: unknown };
  if (text !== undefined && text !== null && typeof text !== 'string')
    throw invalid(provider, 'text that is no string');
  if (toolCalls !== undefined && toolCalls !== null && !Array.isArray(toolCalls))
    throw invalid(provider, 'tool calls that are no array');
}

async function generated(
  provider: LLMProvider,
  request: ModelRequest,
  context: RunContext,
): Promise<ModelResponse> {
  const response = await provider.generate(request);
  if (response?.text && !context.stop.aborted) {
    context.emit({ type: 'text.delta', delta: response.text });
    context.emit({ type: 'text.done', text: response.text });
  }
  return response;
}

async function streamed(parts: AsyncIterable<ModelStreamPart>, context: RunContext): Promise<ModelResponse> {
  for await (const part of parts) {
    if (context.stop.aborted) break;
    if (part.type === 'text-delta') context.emit({ type: 'text.delta', delta: part.delta });
    if (part.type !== 'finish') continue;
    if (part.response.text) context.emit({ type: 'text.done', text: part.response.text });
    return part.response;
  }
  throw invalid(context.provider, 'a stream that ended without a finish part');
}

function answered(response: ModelResponse, context: RunContext): ModelAnswered {
  const toolCalls = withUniqueIds(response.toolCalls ?? [], context);
  const message: Message = {
    role: 'assistant',
    content: response.text ?? '',
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(response.reasoning && { reasoning: response.reasoning }),
    ...(response.usage && { usage: response.usage }),
  };
  return {
    kind: 'model-answered',
    message,
    finishReason: finishReason(response, toolCalls.length > 0),
    refused: refusals(toolCalls, context.tools),
  };
}

/**
 * Calls of tools that do not exist get their result with the turn itself. So a call that is found without one after a crash named
 * a tool that existed when the model asked.
 */
function refusals(calls: readonly ToolCall[], tools: ReadonlyMap<string, Tool>): Message[] {
  return calls
    .filter((call) => !tools.has(call.function.name))
    .map((call) => notFoundResult(call, [...tools.keys()]));
}

/** Each call of a turn needs an id of its own: results are matched by it, and providers refuse a turn with two equal ones. */
function withUniqueIds(calls: readonly ToolCall[], context: RunContext): ToolCall[] {
  const used = new Set<string>();
  return calls.map((call) => {
    const { name, arguments: raw } = call?.function ?? {};
    if (typeof name !== 'string') throw invalid(context.provider, 'a tool call without a name');
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

function invalid(provider: LLMProvider, got: string): SDKError {
  return new SDKError(
    'LOUSHO_PROVIDER_RESPONSE_INVALID',
    `Expected provider ${provider.name} to answer with text or tool calls, got ${got}`,
  );
}

const STOPPED = Symbol('stopped');

/** The promise's value, or STOPPED as soon as the signal fires; what the promise does later is nobody's concern. */
async function untilStopped<T>(signal: AbortSignal, promise: Promise<T>): Promise<T | typeof STOPPED> {
  let onAbort = () => {};
  const stopped = new Promise<typeof STOPPED>((resolve) => {
    onAbort = () => resolve(STOPPED);
    signal.addEventListener('abort', onAbort, { once: true });
    // Fired during the call itself, before there was a listener.
    if (signal.aborted) onAbort();
  });
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, stopped]);
  } catch (error) {
    if (signal.aborted) return STOPPED;
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
