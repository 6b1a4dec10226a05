import type { LLMProvider, ModelRequest, ModelResponse, ModelStreamPart } from '@lousho/core';
import { ConfigurationError, expected } from '@lousho/core/contract';
import type { AiSdkModel } from './ai-sdk-model.js';
import { type AiSdkOptions, assertAiSdkOptions } from './ai-sdk-options.js';
import { responseOf } from './answer.js';
import { callOptions } from './call-options.js';
import { requestError } from './failure.js';
import { readParts } from './read-parts.js';
import { StreamedAnswer } from './streamed-answer.js';

/**
 * A language model of the AI SDK (specification v2, v3 or v4) as the provider of an agent. Each request is one call of the model: it is
 * not repeated here. Calls reject with a `ProviderRequestError`, whose cause is the model's own error.
 * Throws `LOUSHO_CONFIG_INVALID` for what is no such model, and for an unknown option.
 */
export function aiSdk(model: AiSdkModel, options: AiSdkOptions = {}): LLMProvider {
  assertModel(model);
  assertAiSdkOptions(options);
  const { provider, modelId } = model;

  async function generate(request: ModelRequest): Promise<ModelResponse> {
    assertSameModel(request, modelId);
    try {
      const answer = await model.doGenerate(callOptions(request, model, options));
      return responseOf({ ...answer, modelId: answer.response?.modelId ?? modelId }, provider);
    } catch (error) {
      throw failure(error, request);
    }
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelStreamPart> {
    assertSameModel(request, modelId);
    const answer = new StreamedAnswer(modelId);
    try {
      const { stream: parts } = await model.doStream(callOptions(request, model, options));
      for await (const part of readParts(parts, request.signal)) {
        if (part.type === 'error') throw part.error;
        answer.add(part);
        if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text-delta', delta: part.delta };
      }
      request.signal?.throwIfAborted();
      yield { type: 'finish', response: responseOf(answer.whole(provider), provider) };
    } catch (error) {
      throw failure(error, request);
    }
  }

  /** An abort is the caller's own doing, and stays what it is. */
  function failure(error: unknown, { signal }: ModelRequest): unknown {
    return signal?.aborted ? error : requestError(error, { provider, now: Date.now() });
  }

  return { name: provider, defaultModel: modelId, generate, stream };
}

function assertModel(model: AiSdkModel): void {
  const { specificationVersion, doGenerate, doStream } = (model ?? {}) as Partial<AiSdkModel>;
  const isModel = typeof doGenerate === 'function' && typeof doStream === 'function';
  if (isModel && ['v2', 'v3', 'v4'].includes(specificationVersion ?? '')) return;
  throw expected('model', 'a language model of the AI SDK (specification v2, v3 or v4)', model);
}

/** The model is the object that was given: another name would be asked for, and not answered. */
function assertSameModel({ model }: ModelRequest, modelId: string): void {
  if (model === undefined || model === modelId) return;
  throw new ConfigurationError(
    `Expected \`model\` to be \`${modelId}\`, which aiSdk() was given, got \`${model}\``,
    {
      field: 'model',
    },
  );
}
