import type { AiSdkModel } from '@lousho/ai-sdk';

/** What a model answers: its content as `doGenerate` gives it. */
export type Content = readonly ({ readonly type: string } & Record<string, unknown>)[];

export interface RecordedModel extends AiSdkModel {
  /** The prompts that it was asked with. */
  readonly prompts: readonly unknown[];
}

/** For answers that no server of OpenAI's kind gives. Streams the same that it generates, in pieces. */
export function recordedModel(
  version: 'v2' | 'v3' | 'v4',
  answers: readonly Content[],
  { finishReason = 'stop', isWhole = true }: { finishReason?: string; isWhole?: boolean } = {},
): RecordedModel {
  const prompts: unknown[] = [];
  const usage =
    version === 'v2'
      ? { inputTokens: 1, outputTokens: 1 }
      : { inputTokens: { total: 1, cacheRead: undefined }, outputTokens: { total: 1, reasoning: undefined } };
  const told = version === 'v2' ? finishReason : { unified: finishReason, raw: undefined };
  const next = (options: unknown) => {
    prompts.push((options as { prompt: unknown }).prompt);
    return answers[prompts.length - 1] ?? [{ type: 'text', text: 'Done.' }];
  };
  const model = {
    specificationVersion: version,
    provider: 'recorded',
    modelId: 'recorded-1',
    prompts,
    doGenerate: async (options: unknown) => ({
      content: next(options),
      finishReason: told,
      usage,
      warnings: [],
    }),
    doStream: async (options: unknown) => {
      const parts = [
        { type: 'stream-start', warnings: [] },
        ...next(options).flatMap(pieces),
        ...(isWhole ? [{ type: 'finish', finishReason: told, usage }] : []),
      ];
      return {
        stream: new ReadableStream({
          start: (controller) => {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  };
  return model as unknown as RecordedModel;
}

/** A text or a reasoning in three pieces, the signature with the last. */
function pieces(part: Content[number], index: number): readonly object[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part];
  const id = `${index}`;
  const text = part.text as string;
  const { providerMetadata } = part;
  return [
    { type: `${part.type}-start`, id },
    { type: `${part.type}-delta`, id, delta: text.slice(0, 2) },
    { type: `${part.type}-delta`, id, delta: text.slice(2) },
    { type: `${part.type}-end`, id, ...(providerMetadata !== undefined && { providerMetadata }) },
  ];
}
