import type { ModelFinishReason } from '@lousho/core';
import type { FinishReasonTold } from './ai-sdk-model.js';

const REASONS: Readonly<Record<string, ModelFinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'error',
};

/** Why the model stopped, in core's words; `other` for what core has no word for. */
export function finishReasonOf(told: FinishReasonTold | undefined): ModelFinishReason {
  const reason = typeof told === 'object' ? told?.unified : told;
  return REASONS[reason ?? ''] ?? 'other';
}
