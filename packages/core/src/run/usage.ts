import type { Message, ModelUsage, RunUsage } from '../contract/index.js';

export const NO_USAGE: RunUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, modelCalls: 0 };

/** A run's totals after one more model call. */
export function addUsage(total: RunUsage, call: ModelUsage | undefined): RunUsage {
  const inputTokens = total.inputTokens + (call?.inputTokens ?? 0);
  const outputTokens = total.outputTokens + (call?.outputTokens ?? 0);
  const cached = sum(total.cachedInputTokens, call?.cachedInputTokens);
  const reasoning = sum(total.reasoningTokens, call?.reasoningTokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    modelCalls: total.modelCalls + 1,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(total.delegated && { delegated: total.delegated }),
  };
}

/** A run's totals after a sub-agent's run, which may have delegated itself. */
export function addDelegated(total: RunUsage, spent: RunUsage): RunUsage {
  const { delegated } = total;
  const cached = sum(total.cachedInputTokens, spent.cachedInputTokens);
  const reasoning = sum(total.reasoningTokens, spent.reasoningTokens);
  return {
    inputTokens: total.inputTokens + spent.inputTokens,
    outputTokens: total.outputTokens + spent.outputTokens,
    totalTokens: total.totalTokens + spent.totalTokens,
    modelCalls: total.modelCalls + spent.modelCalls,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    delegated: {
      runs: (delegated?.runs ?? 0) + 1 + (spent.delegated?.runs ?? 0),
      modelCalls: (delegated?.modelCalls ?? 0) + spent.modelCalls,
      inputTokens: (delegated?.inputTokens ?? 0) + spent.inputTokens,
      outputTokens: (delegated?.outputTokens ?? 0) + spent.outputTokens,
      totalTokens: (delegated?.totalTokens ?? 0) + spent.totalTokens,
    },
  };
}

/** The totals of a stored record; older ones name tokens `promptTokens` and `completionTokens` and count no calls. */
export function readUsage(stored: unknown): RunUsage {
  if (typeof stored !== 'object' || stored === null) return NO_USAGE;
  const usage = stored as Partial<RunUsage> & { promptTokens?: number; completionTokens?: number };
  const inputTokens = usage.inputTokens ?? usage.promptTokens ?? 0;
  const outputTokens = usage.outputTokens ?? usage.completionTokens ?? 0;
  return {
    ...usage,
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    modelCalls: usage.modelCalls ?? 0,
  };
}

/** What each model call of these messages cost, in order. */
export function stepUsage(messages: readonly Message[]): readonly ModelUsage[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' && message.usage ? [message.usage] : [],
  );
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
