import type { Message, ModelUsage, ToolCall } from '../contract/index.js';

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12) of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  /** The agent's model; a provider falls back to its `defaultModel`. */
  readonly model?: string;
  /** Valid for every provider: each tool-call turn is directly followed by its results. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly signal?: AbortSignal;
  readonly sessionId?: string;
  /** 1-based step of the run. */
  readonly step: number;
}

export type ModelFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'other';

export interface ModelResponse {
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Anything unknown is taken as `other`. */
  readonly finishReason?: ModelFinishReason;
  readonly usage?: ModelUsage;
  /** Kept with the message, JSON and `Uint8Array` only, and handed back untouched. */
  readonly reasoning?: readonly unknown[];
  /** The same for whatever else the provider needs back with its message; see `Message.providerParts`. */
  readonly providerParts?: readonly unknown[];
}

export type ModelStreamPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | { readonly type: 'finish'; readonly response: ModelResponse };

/**
 * A model behind one call. What it throws becomes a `ProviderRequestError` and is judged by the fields of a `ProviderFailure` that it
 * has: with an HTTP `status` (or `statusCode`) of 408, 429 and 5xx it may be tried again, with another 4xx not; an error without one
 * may. `retryAfterMs` keeps `recover()` away for so long.
 */
export interface LLMProvider {
  readonly name: string;
  readonly defaultModel?: string;
  generate(request: ModelRequest): Promise<ModelResponse>;
  /** Ends with one `finish` part, whose response is whole: the same that `generate` would have returned. */
  stream?(request: ModelRequest): AsyncIterable<ModelStreamPart>;
  getModels?(): Promise<readonly string[]>;
  supportsTools?(model: string): boolean;
  supportsStreaming?(model: string): boolean;
}
