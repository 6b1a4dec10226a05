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
 * not repeated here. Calls reject with a `ProviderRequestError`, whose cause is the model's own error, and with `LOUSHO_CONFIG_INVALID`
 * when the agent names a model that is not there. Throws `LOUSHO_CONFIG_INVALID` for what is no such model, and for an unknown option.
 */
export function aiSdk(model: AiSdkModel, { models, ...settings }: AiSdkOptions = {}): LLMProvider {
  assertModel('model', model);
  assertAiSdkOptions({ ...(models && { models }), ...settings });

  async function generate(request: ModelRequest): Promise<ModelResponse> {
    const asked = modelFor(request);
    try {
      const answer = await asked.doGenerate(callOptions(request, asked, settings));
      const modelId = answer.response?.modelId ?? asked.modelId;
      return responseOf({ ...answer, modelId }, asked.provider);
    } catch (error) {
      throw failure(error, asked, request);
    }
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelStreamPart> {
    const asked = modelFor(request);
    const answer = new StreamedAnswer(asked.modelId);
    try {
      const { stream: parts } = await asked.doStream(callOptions(request, asked, settings));
      for await (const part of readParts(parts, request.signal)) {
        if (part.type === 'error') throw part.error;
        answer.add(part);
        if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text-delta', delta: part.delta };
      }
      request.signal?.throwIfAborted();
      yield { type: 'finish', response: responseOf(answer.whole(asked.provider), asked.provider) };
    } catch (error) {
      throw failure(error, asked, request);
    }
  }

  /** The model that the agent names. Without `models` there is one, and another name would be asked for in vain. */
  function modelFor({ model: name }: ModelRequest): AiSdkModel {
    if (name === undefined || name === model.modelId) return model;
    if (!models) {
      throw new ConfigurationError(
        `Expected \`model\` to be \`${model.modelId}\`, which aiSdk() was given without \`models\`, got \`${name}\``,
        { field: 'model' },
      );
    }
    const found = models(name);
    assertModel('models', found);
    return found;
  }

  return { name: model.provider, defaultModel: model.modelId, generate, stream };
}

/** An abort is the caller's own doing, and stays what it is. */
function failure(error: unknown, { provider }: AiSdkModel, { signal }: ModelRequest): unknown {
  return signal?.aborted ? error : requestError(error, { provider, now: Date.now() });
}

function assertModel(field: string, model: AiSdkModel): void {
  const { specificationVersion, doGenerate, doStream } = (model ?? {}) as Partial<AiSdkModel>;
  const isModel = typeof doGenerate === 'function' && typeof doStream === 'function';
  if (isModel && ['v2', 'v3', 'v4'].includes(specificationVersion ?? '')) return;
  const wanted = 'a language model of the AI SDK (specification v2, v3 or v4)';
  throw expected(field, field === 'models' ? `a function that gives ${wanted}` : wanted, model);
}
