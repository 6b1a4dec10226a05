import type { Message } from '@lousho/core/contract';
import type { SpecificationVersion } from './ai-sdk-model.js';
import { assistantContent } from './assistant-content.js';
import type { PromptPart } from './prompt-part.js';
import { toolOutput } from './tool-output.js';
import { contentParts } from './user-content.js';

export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly PromptPart[] };

/** A transcript as a model of the version takes it: the results of a turn in one message, and no reply without content. */
export function promptOf(
  messages: readonly Message[],
  version: SpecificationVersion,
): readonly PromptMessage[] {
  const prompt: PromptMessage[] = [];
  messages.forEach((message, index) => {
    const last = prompt.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') {
      prompt[prompt.length - 1] = { ...last, content: [...last.content, resultPart(messages, index)] };
      return;
    }
    const next = promptMessage(messages, index, version);
    if (next.role !== 'assistant' || next.content.length > 0) prompt.push(next);
  });
  return prompt;
}

function promptMessage(
  messages: readonly Message[],
  index: number,
  version: SpecificationVersion,
): PromptMessage {
  const message = messages[index] as Message;
  switch (message.role) {
    case 'system':
      return { role: 'system', content: textOf(message) };
    case 'user':
      return { role: 'user', content: contentParts(message.content, version) };
    case 'assistant':
      return { role: 'assistant', content: assistantContent(message, version) };
    case 'tool':
      return { role: 'tool', content: [resultPart(messages, index)] };
    default:
      return message.role satisfies never;
  }
}

function resultPart(messages: readonly Message[], index: number): PromptPart {
  const message = messages[index] as Message;
  const { toolCallId = '', toolName } = message;
  return {
    type: 'tool-result',
    toolCallId,
    toolName: toolName ?? calledTool(messages.slice(0, index), toolCallId) ?? '',
    output: toolOutput(message),
  };
}

/** Results of older records do not say which tool they are of. */
function calledTool(before: readonly Message[], toolCallId: string): string | undefined {
  const turn = before.findLast((message) => message.role === 'assistant');
  return turn?.toolCalls?.find((call) => call.id === toolCallId)?.function.name;
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
