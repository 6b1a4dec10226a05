import type { ModelCallOutcome, ObservedModelCall, ObservedToolCall, ToolCallOutcome } from '@lousho/core';
import { type Attributes, SpanKind } from '@opentelemetry/api';
import { argumentsContent, inputContent, outputContent, resultContent } from './content.js';
import { providerName } from './provider-name.js';
import type { SpanStart } from './spans.js';

interface Content {
  readonly captureContent: boolean;
}

/** `chat {model}`: one request to the provider. */
export function modelCallSpan(call: ObservedModelCall, { captureContent }: Content): SpanStart {
  const { agentName, model, isStreamed, request } = call;
  return {
    name: model === undefined ? 'chat' : `chat ${model}`,
    kind: SpanKind.CLIENT,
    attributes: {
      ...modelAttributes(call),
      'gen_ai.agent.name': agentName,
      'lousho.step': request.step,
      ...(isStreamed && { 'gen_ai.request.stream': true }),
      ...(captureContent && inputContent(request.messages)),
    },
  };
}

/** What spans and metrics of a model call have in common. */
export function modelAttributes({ providerName: own, model }: ObservedModelCall): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providerName(own),
    ...(model !== undefined && { 'gen_ai.request.model': model }),
  };
}

export function modelCallEnd(
  { response, isCutOff }: ModelCallOutcome,
  { captureContent }: Content,
): Attributes {
  const { usage, finishReason } = response ?? {};
  return {
    ...(isCutOff && { 'lousho.cut_off': true }),
    ...(finishReason && { 'gen_ai.response.finish_reasons': [finishReason] }),
    ...(usage?.model !== undefined && { 'gen_ai.response.model': usage.model }),
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
    }),
    ...(usage?.cachedInputTokens !== undefined && {
      'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    }),
    ...(usage?.reasoningTokens !== undefined && {
      'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    }),
    ...(captureContent && response && outputContent(response)),
  };
}

/** `execute_tool {name}`: one execution of a tool, or a sub-agent's work on a task. */
export function toolCallSpan(call: ObservedToolCall, { captureContent }: Content): SpanStart {
  const { toolName, toolCallId, description, step, args, isDecided } = call;
  return {
    name: `execute_tool ${toolName}`,
    kind: SpanKind.INTERNAL,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.call.id': toolCallId,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': description,
      'lousho.step': step,
      ...(isDecided && { 'lousho.tool.approved': true }),
      ...(captureContent && argumentsContent(args)),
    },
  };
}

export function toolCallEnd(outcome: ToolCallOutcome, { captureContent }: Content): Attributes {
  const { result, isSuspended, error } = outcome;
  return {
    // An error result without an error is that of a call which the run's end took away.
    ...(result?.isError && error === undefined && { 'lousho.cut_off': true }),
    ...(isSuspended && { 'lousho.tool.suspended': true }),
    ...(captureContent && result && resultContent(result)),
  };
}
