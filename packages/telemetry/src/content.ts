import type { Message, ModelResponse } from '@lousho/core';
import type { Attributes } from '@opentelemetry/api';

/** What the model was given, in the form of the conventions. Data of files and images is left out: it would be far too much. */
export function inputContent(messages: readonly Message[]): Attributes {
  const system = messages.filter(({ role }) => role === 'system');
  const said = messages.filter(({ role }) => role !== 'system');
  return {
    'gen_ai.input.messages': JSON.stringify(said.map((one) => ({ role: one.role, parts: partsOf(one) }))),
    ...(system.length > 0 && { 'gen_ai.system_instructions': JSON.stringify(system.flatMap(partsOf)) }),
  };
}

export function outputContent({ text, toolCalls, finishReason }: ModelResponse): Attributes {
  const parts = partsOf({ role: 'assistant', content: text ?? '', ...(toolCalls && { toolCalls }) });
  const message = { role: 'assistant', parts, ...(finishReason && { finish_reason: finishReason }) };
  return { 'gen_ai.output.messages': JSON.stringify([message]) };
}

export function argumentsContent(args: unknown): Attributes {
  return { 'gen_ai.tool.call.arguments': jsonOf(args) };
}

export function resultContent({ content }: Message): Attributes {
  return { 'gen_ai.tool.call.result': typeof content === 'string' ? content : jsonOf(content) };
}

type Part = Readonly<Record<string, unknown>>;

function partsOf(message: Message): readonly Part[] {
  const { role, content, toolCalls = [], toolCallId } = message;
  if (role === 'tool') return [{ type: 'tool_call_response', id: toolCallId, response: parsed(content) }];
  const calls = toolCalls.map((call) => ({
    type: 'tool_call',
    id: call.id,
    name: call.function.name,
    arguments: parsed(call.function.arguments),
  }));
  return [...contentParts(content), ...calls];
}

function contentParts(content: Message['content']): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }];
  return content.map((part): Part => {
    switch (part.type) {
      case 'text':
        return { type: 'text', content: part.text };
      case 'image':
        return { type: 'blob', modality: 'image', mime_type: part.mediaType };
      case 'file':
        return { type: 'blob', modality: 'file', mime_type: part.mediaType };
      default:
        return part satisfies never;
    }
  });
}

function parsed(content: Message['content']): unknown {
  try {
    return typeof content === 'string' ? JSON.parse(content) : content;
  } catch {
    return content;
  }
}

/** Arguments may be anything that a schema makes of the model's. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
