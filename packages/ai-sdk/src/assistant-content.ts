import type { Message } from '@lousho/core/contract';
import type { ProviderMetadata, SpecificationVersion } from './ai-sdk-model.js';
import { filePart } from './files.js';
import type { PromptPart } from './prompt-part.js';
import type { ProviderPart } from './provider-parts.js';
import { contentParts } from './user-content.js';

/** What a model once answered, as it gets it back: in the order and with the signatures of its answer, as long as they fit the message. */
export function assistantContent(message: Message, version: SpecificationVersion): readonly PromptPart[] {
  const fields = fieldParts(message, version);
  const order = fittingOrder(message, fields);
  return order
    ? inOrder(order, { ...fields, text: message.content as string, version })
    : [...fields.reasoning, ...fields.content, ...fields.calls];
}

interface FieldParts {
  readonly reasoning: readonly PromptPart[];
  readonly content: readonly PromptPart[];
  readonly calls: readonly PromptPart[];
}

/** The parts that the message's own fields say. */
function fieldParts(message: Message, version: SpecificationVersion): FieldParts {
  const { content, reasoning = [], toolCalls = [] } = message;
  return {
    reasoning: reasoning.filter(isReasoning).map(({ text, providerMetadata }) => ({
      type: 'reasoning',
      text,
      ...signature(providerMetadata),
    })),
    content: content === '' ? [] : contentParts(content, version),
    calls: toolCalls.map(({ id, function: { name, arguments: written } }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: inputOf(written),
    })),
  };
}

/** The order that the answer had, unless the message was changed since, or is another provider's. */
function fittingOrder(
  { content, providerParts }: Message,
  fields: FieldParts,
): readonly ProviderPart[] | undefined {
  if (!providerParts?.every(isProviderPart) || typeof content !== 'string') return undefined;
  const textLength = providerParts.reduce((sum, part) => sum + (part.kind === 'text' ? part.length : 0), 0);
  const count = (kind: ProviderPart['kind']) => providerParts.filter((part) => part.kind === kind).length;
  const fits =
    textLength === content.length &&
    count('reasoning') === fields.reasoning.length &&
    count('call') === fields.calls.length;
  return fits ? providerParts : undefined;
}

function inOrder(
  order: readonly ProviderPart[],
  { reasoning, calls, text, version }: FieldParts & { text: string; version: SpecificationVersion },
): readonly PromptPart[] {
  const next = { text: 0, reasoning: 0, call: 0 };
  return order.flatMap((entry): PromptPart | readonly PromptPart[] => {
    switch (entry.kind) {
      case 'text': {
        const from = next.text;
        next.text += entry.length;
        return { type: 'text', text: text.slice(from, next.text), ...signature(entry.providerMetadata) };
      }
      case 'reasoning':
        return reasoning[next.reasoning++] ?? [];
      case 'call': {
        const call = calls[next.call++];
        return call ? { ...call, ...signature(entry.providerMetadata) } : [];
      }
      case 'file':
        return { ...filePart(entry.file, version), ...signature(entry.providerMetadata) };
      case 'reasoning-file':
        // Earlier versions have no place for it.
        if (version !== 'v4') return [];
        return {
          ...filePart(entry.file, version),
          type: 'reasoning-file',
          ...signature(entry.providerMetadata),
        };
      case 'other':
        return otherPart(entry.part, version);
      default:
        return entry satisfies never;
    }
  });
}

/** A call that the provider ran, its result, a part of its own. Sources are for people: no provider takes them back. */
function otherPart(
  { type, providerMetadata, ...fields }: OtherPart,
  version: SpecificationVersion,
): PromptPart | readonly PromptPart[] {
  const signed = signature(providerMetadata);
  const { toolCallId, toolName } = fields;
  switch (type) {
    case 'tool-call':
      return { type, toolCallId, toolName, input: inputOf(fields.input), providerExecuted: true, ...signed };
    case 'tool-result': {
      const output = { type: fields.isError ? 'error-json' : 'json', value: fields.result ?? null };
      return { type, toolCallId, toolName, output, ...signed };
    }
    case 'custom':
      return version === 'v4' ? { type, kind: fields.kind, ...signed } : [];
    default:
      return [];
  }
}

interface OtherPart {
  readonly type: string;
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** Arguments as a value. Vendors refuse arguments that are no object; that the model's were none, it learns from the call's result. */
function inputOf(written: unknown): unknown {
  if (typeof written !== 'string') return written ?? {};
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function signature(providerMetadata: ProviderMetadata | undefined): { providerOptions?: ProviderMetadata } {
  return providerMetadata ? { providerOptions: providerMetadata } : {};
}

/** Another provider's reasoning may look like anything. */
function isReasoning(value: unknown): value is { text: string; providerMetadata?: ProviderMetadata } {
  const { type, text } = (value ?? {}) as { type?: unknown; text?: unknown };
  return type === 'reasoning' && typeof text === 'string';
}

const KINDS = ['text', 'reasoning', 'call', 'file', 'reasoning-file', 'other'];

function isProviderPart(value: unknown): value is ProviderPart {
  return KINDS.includes((value as ProviderPart | null)?.kind as string);
}
