import { expected } from '@lousho/core/contract';
import type { AiSdkModel } from './ai-sdk-model.js';

export type AiSdkToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly toolName: string };

/** A tool that the provider runs itself, as its AI SDK package makes them. */
export interface AiSdkProviderTool {
  readonly type: 'provider' | 'provider-defined';
  readonly id: `${string}.${string}`;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Settings of every call. What is left out is the provider's own default. */
export interface AiSdkSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  /** How much the model thinks, in the words of `LanguageModelV4`; earlier versions take it as a provider option. */
  readonly reasoning?: string;
  readonly toolChoice?: AiSdkToolChoice;
  /** Tools that the provider runs itself, beside the agent's. */
  readonly providerTools?: readonly AiSdkProviderTool[];
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** By provider name, as in the AI SDK. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface AiSdkOptions extends AiSdkSettings {
  /** The model of a name that the agent gives, for an agent with more than one; an AI SDK provider is such a function. */
  readonly models?: (modelId: string) => AiSdkModel;
}

const OPTIONS = [
  'models',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
  'toolChoice',
  'providerTools',
  'headers',
  'providerOptions',
] as const satisfies readonly (keyof AiSdkOptions)[];

/** A misspelt setting would otherwise be the provider's default, without a word. */
export function assertAiSdkOptions(options: AiSdkOptions): void {
  for (const option of Object.keys(options)) {
    if (!(OPTIONS as readonly string[]).includes(option))
      throw expected('aiSdk()', `one of the options ${OPTIONS.join(', ')}`, option);
  }
}
