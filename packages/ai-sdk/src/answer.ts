import type { ModelResponse } from '@lousho/core';
import { SDKError, type ToolCall } from '@lousho/core/contract';
import type { AnswerPart, FinishReasonTold, UsageTold } from './ai-sdk-model.js';
import { finishReasonOf } from './finish-reason.js';
import { isOwnCall, providerPartsOf } from './provider-parts.js';
import { storable } from './storable.js';
import { usageOf } from './usage.js';

/** A whole answer, generated or streamed. */
export interface Answer {
  readonly content: readonly AnswerPart[];
  readonly finishReason: FinishReasonTold | undefined;
  readonly usage: UsageTold | undefined;
  readonly modelId: string;
}

/** An answer as core takes it. Throws `LOUSHO_PROVIDER_RESPONSE_INVALID` when it asks for what a run cannot give. */
export function responseOf(answer: Answer, provider: string): ModelResponse {
  const content = answer.content.filter(isKept);
  if (content.some((part) => part.type === 'tool-approval-request')) {
    throw new SDKError(
      'LOUSHO_PROVIDER_RESPONSE_INVALID',
      `provider ${provider} asks for the approval of a tool that it runs itself`,
      {
        hint: 'Let the provider run this tool without asking, or give it to the agent as a tool of its own.',
      },
    );
  }
  const toolCalls = content.filter(isOwnCall).map(toolCallOf);
  const reasoning = content.filter((part) => part.type === 'reasoning').map(storable);
  const providerParts = providerPartsOf(content);
  const usage = usageOf(answer.usage, answer.modelId);
  return {
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    finishReason: finishReasonOf(answer.finishReason),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(reasoning.length > 0 && { reasoning }),
    ...(providerParts && { providerParts }),
    ...(usage && { usage }),
  };
}

/** Empty text says nothing, unless it is signed; a preliminary result is followed by its final one. */
function isKept(part: AnswerPart): boolean {
  if (part.type === 'text' || part.type === 'reasoning')
    return part.text !== '' || part.providerMetadata !== undefined;
  return part.type !== 'tool-result' || part.preliminary !== true;
}

function toolCallOf(part: Extract<AnswerPart, { type: 'tool-call' }>): ToolCall {
  const { toolCallId, toolName, input } = part;
  // Some models write nothing for "no arguments".
  const written = typeof input === 'string' && input.trim() === '' ? '{}' : input;
  return { id: toolCallId, type: 'function', function: { name: toolName, arguments: written } };
}
