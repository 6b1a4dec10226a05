import type { ModelUsage } from '@lousho/core/contract';
import type { UsageTold } from './ai-sdk-model.js';

/** Tokens of a call; `undefined` when the model counts none. What is not a number of tokens is left out. */
export function usageOf(told: UsageTold | undefined, model: string): ModelUsage | undefined {
  if (!told) return undefined;
  const { inputTokens: input, outputTokens: output } = told;
  const inputTokens = count(typeof input === 'object' ? input?.total : input);
  const outputTokens = count(typeof output === 'object' ? output?.total : output);
  const cachedInputTokens = count(typeof input === 'object' ? input?.cacheRead : told.cachedInputTokens);
  const reasoningTokens = count(typeof output === 'object' ? output?.reasoning : told.reasoningTokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    model,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

function count(value: number | null | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
