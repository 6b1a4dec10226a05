import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type AiSdkOptions, aiSdk } from '@lousho/ai-sdk';
import type { LLMProvider, ModelRequest, ModelResponse } from '@lousho/core';
import {
  type ChatAnswer,
  type ChatServer,
  type ChatServerOptions,
  startChatServer,
} from '@lousho/test-backends';
import { createOpenAICompatible as createV2 } from 'openai-compatible-v2';
import { createOpenAICompatible as createV4 } from 'openai-compatible-v4';
import { onTestFinished } from 'vitest';

/** One real provider package for each version of the specification. */
const MAKERS = { v2: createV2, v3: createOpenAICompatible, v4: createV4 };

export type Version = keyof typeof MAKERS;
export const VERSIONS: readonly Version[] = ['v2', 'v3', 'v4'];

export const MODES = ['generate', 'stream'] as const;
export type Mode = (typeof MODES)[number];

/** Every version, generated and streamed. */
export const WAYS = VERSIONS.flatMap((version) => MODES.map((mode) => [version, mode] as const));

export interface Chat {
  readonly server: ChatServer;
  readonly provider: LLMProvider;
}

/** A model behind a server of its own, which ends with the test. `answers` are given in turn, the last one again and again. */
export async function chat(
  version: Version,
  answers: ChatServerOptions['answer'] | readonly ChatAnswer[],
  { options, ...rest }: Omit<ChatServerOptions, 'answer'> & { readonly options?: AiSdkOptions } = {},
): Promise<Chat> {
  let given = 0;
  const answer =
    typeof answers === 'function'
      ? answers
      : () => answers[Math.min(given++, answers.length - 1)] ?? { text: 'nothing is scripted' };
  const server = await startChatServer({ answer, ...rest });
  onTestFinished(() => server.close());
  return { server, provider: aiSdk(modelOf(version, server), options) };
}

export function modelOf(
  version: Version,
  { baseURL, apiKey }: Pick<ChatServer, 'baseURL' | 'apiKey'>,
  modelId = 'small',
) {
  // Signatures of calls are kept under the provider's name.
  return MAKERS[version]({ name: 'google', baseURL, apiKey, includeUsage: true }).chatModel(modelId);
}

export const HI: ModelRequest = { messages: [{ role: 'user', content: 'Hi' }], tools: [], step: 1 };

/** One model call, and what was told on the way. */
export async function ask(
  provider: LLMProvider,
  mode: Mode,
  request: Partial<ModelRequest> = {},
): Promise<ModelResponse & { readonly deltas: readonly string[] }> {
  const whole = { ...HI, ...request };
  if (mode === 'generate') return { ...(await provider.generate(whole)), deltas: [] };
  const deltas: string[] = [];
  for await (const part of provider.stream?.(whole) ?? []) {
    if (part.type === 'finish') return { ...part.response, deltas };
    deltas.push(part.delta);
  }
  throw new Error('the stream ended without a finish part');
}

export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error,
  );
}
