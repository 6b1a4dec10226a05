import type { ModelRequest } from '@lousho/core';
import type { AiSdkModel } from './ai-sdk-model.js';
import type { AiSdkSettings } from './ai-sdk-options.js';
import { promptOf } from './prompt.js';

/** A request in the words of the model's version of the specification. */
export function callOptions(
  request: ModelRequest,
  { specificationVersion }: AiSdkModel,
  { providerTools = [], toolChoice, ...settings }: AiSdkSettings,
): never {
  const tools = [
    ...request.tools.map((tool) => ({ type: 'function', ...tool })),
    ...providerTools.map((tool) => ({ ...tool, type: providerToolType(specificationVersion) })),
  ];
  const options = {
    ...settings,
    prompt: promptOf(request.messages, specificationVersion),
    ...(tools.length > 0 && { tools, ...(toolChoice && { toolChoice }) }),
    ...(request.signal && { abortSignal: request.signal }),
  };
  // The versions differ in details that the model's own version decides, as `promptOf` does.
  return options as never;
}

function providerToolType(version: AiSdkModel['specificationVersion']): string {
  return version === 'v2' ? 'provider-defined' : 'provider';
}
