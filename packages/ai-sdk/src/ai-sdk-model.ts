/**
 * What a language model of the AI SDK looks like, as far as it is used here: `LanguageModelV2`, `V3` and `V4` all fit, and nothing of
 * the AI SDK is imported. The versions differ in how they take files and how they tell usage and finish reason.
 */
export interface AiSdkModel {
  readonly specificationVersion: SpecificationVersion;
  readonly provider: string;
  readonly modelId: string;
  // `never`: each version has call options of its own, and `callOptions` makes those of the model at hand.
  doGenerate(options: never): PromiseLike<GenerateResult>;
  doStream(options: never): PromiseLike<{ readonly stream: PartStream }>;
}

export type SpecificationVersion = 'v2' | 'v3' | 'v4';

/** By provider name, as it came with a part of an answer and goes back with it as `providerOptions`. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;

interface WithMetadata {
  readonly providerMetadata?: ProviderMetadata | undefined;
}

/** A part of an answer. */
export type AnswerPart = WithMetadata &
  (
    | { readonly type: 'text' | 'reasoning'; readonly text: string }
    | {
        readonly type: 'tool-call';
        readonly toolCallId: string;
        readonly toolName: string;
        /** JSON text. */
        readonly input: string;
        /** The provider has run it, and its result is another part. */
        readonly providerExecuted?: boolean | undefined;
      }
    | {
        readonly type: 'tool-result';
        readonly toolCallId: string;
        readonly toolName: string;
        readonly result?: unknown;
        readonly isError?: boolean | undefined;
        /** Another result of the call will follow. */
        readonly preliminary?: boolean | undefined;
      }
    | { readonly type: 'file' | 'reasoning-file'; readonly mediaType: string; readonly data: unknown }
    | { readonly type: 'custom'; readonly kind: string }
    | { readonly type: 'source'; readonly sourceType: string }
    | { readonly type: 'tool-approval-request'; readonly toolCallId: string }
  );

export interface GenerateResult {
  readonly content: readonly AnswerPart[];
  readonly finishReason: FinishReasonTold;
  readonly usage: UsageTold;
  readonly response?: { readonly modelId?: string | undefined } | undefined;
}

/** V2 tells a word, later versions an object. */
export type FinishReasonTold = string | { readonly unified: string };

type Tokens = number | undefined;

/** V2 tells numbers, later versions objects. */
export interface UsageTold {
  readonly inputTokens: Tokens | { readonly total: Tokens; readonly cacheRead: Tokens };
  readonly outputTokens: Tokens | { readonly total: Tokens; readonly reasoning: Tokens };
  readonly cachedInputTokens?: Tokens;
  readonly reasoningTokens?: Tokens;
}

/** A piece of a streamed answer. */
export type StreamPart =
  | AnswerPart
  | (WithMetadata & {
      readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
      readonly id: string;
    })
  | (WithMetadata & {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly id: string;
      readonly delta: string;
    })
  | { readonly type: 'tool-input-start' | 'tool-input-delta' | 'tool-input-end'; readonly id: string }
  | { readonly type: 'response-metadata'; readonly modelId?: string | undefined }
  | { readonly type: 'finish'; readonly finishReason: FinishReasonTold; readonly usage: UsageTold }
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'stream-start' | 'raw' | 'ping' };

/** A `ReadableStream` of parts. */
export interface PartStream {
  getReader(): PartReader;
}

export interface PartReader {
  read(): Promise<
    { readonly done: false; readonly value: StreamPart } | { readonly done: true; readonly value?: unknown }
  >;
  cancel(reason?: unknown): Promise<void>;
}
