import { failureOf, ProviderRequestError, SDKError } from '../contract/index.js';
import type { LLMProvider, ModelRequest, ModelResponse, ModelStreamPart } from '../ports/index.js';
import { HookRunner } from './hook-runner.js';
import { invalidResponse, type ModelAnswered, modelAnswer } from './model-answer.js';
import { ModelCall } from './model-call.js';
import { modelRequest } from './model-request.js';
import type { RunContext } from './run-context.js';
import { ABORTED, untilAborted } from './until-aborted.js';
import { watched } from './watch.js';

/** A steer took the place of the model call. */
export const STEERED = Symbol('steered');

/**
 * One model call. `null` when it was aborted, `STEERED` when input took its place: a provider that ignores the signal is not waited for,
 * and what it says later is dropped. Rejects with a `ProviderRequestError` (the provider's error as its cause) when the call fails.
 */
export async function askModel(context: RunContext): Promise<ModelAnswered | typeof STEERED | null> {
  const call = new ModelCall(context.stop);
  context.input?.asking(call);
  try {
    const request = modelRequest(context, context.recorder.state, call.signal);
    const hooks = new HookRunner(context.hooks);
    await hooks.beforeModelCall(request);
    await context.lease?.assertHeld();
    if (call.signal.aborted) return cutOff(context, call);
    call.wasAsked = true;
    const response = await observedCall(context, request, call);
    if (response === ABORTED || call.isSteered) return cutOff(context, call);
    call.settle();
    await hooks.afterModelCall(response);
    return modelAnswer(response, context);
  } finally {
    call.settle();
  }
}

function observedCall(context: RunContext, request: ModelRequest, call: ModelCall) {
  const { name: agentName, provider } = context.cast.current;
  const model = request.model ?? provider.defaultModel;
  return watched(
    context.watch,
    (observer, parent) =>
      observer.modelCall?.(
        {
          agentName,
          providerName: provider.name,
          ...(model !== undefined && { model }),
          isStreamed: context.streamsText && provider.stream !== undefined,
          request,
        },
        parent,
      ),
    () => untilAborted(call.signal, callProvider(context, request, call)),
    (response) => (response === ABORTED || call.isSteered ? { isCutOff: true as const } : { response }),
  );
}

/** The caller's abort outweighs a steer. */
async function cutOff({ stop }: RunContext, call: ModelCall): Promise<typeof STEERED | null> {
  await call.steered;
  return stop.aborted ? null : STEERED;
}

async function callProvider(
  context: RunContext,
  request: ModelRequest,
  call: ModelCall,
): Promise<ModelResponse> {
  const { provider } = context.cast.current;
  try {
    const response =
      context.streamsText && provider.stream
        ? await streamed(provider.stream(request), context, call)
        : await generated(provider, request, context, call);
    assertResponse(provider, response);
    return response;
  } catch (cause) {
    if (cause instanceof SDKError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ProviderRequestError(`provider ${provider.name}: ${reason}`, { ...failureOf(cause), cause });
  }
}

/** What is not as the port says would otherwise be stored, and be found out only by the next request. */
function assertResponse(provider: LLMProvider, response: unknown): void {
  if (typeof response !== 'object' || response === null)
    throw invalidResponse(provider, 'no response object');
  const { text, toolCalls } = response as { text?: unknown; toolCalls?: unknown };
  if (text !== undefined && text !== null && typeof text !== 'string')
    throw invalidResponse(provider, 'text that is no string');
  if (toolCalls !== undefined && toolCalls !== null && !Array.isArray(toolCalls))
    throw invalidResponse(provider, 'tool calls that are no array');
}

async function generated(
  provider: LLMProvider,
  request: ModelRequest,
  context: RunContext,
  call: ModelCall,
): Promise<ModelResponse> {
  const response = await provider.generate(request);
  if (response?.text && !call.signal.aborted) {
    call.wasHeard = true;
    context.emit({ type: 'text.delta', delta: response.text });
    context.emit({ type: 'text.done', text: response.text });
  }
  return response;
}

async function streamed(
  parts: AsyncIterable<ModelStreamPart>,
  context: RunContext,
  call: ModelCall,
): Promise<ModelResponse> {
  for await (const part of parts) {
    if (call.signal.aborted) break;
    if (part.type === 'text-delta' || part.response.text) call.wasHeard = true;
    if (part.type === 'text-delta') context.emit({ type: 'text.delta', delta: part.delta });
    if (part.type !== 'finish') continue;
    if (part.response.text) context.emit({ type: 'text.done', text: part.response.text });
    return part.response;
  }
  throw invalidResponse(context.cast.current.provider, 'a stream that ended without a finish part');
}
