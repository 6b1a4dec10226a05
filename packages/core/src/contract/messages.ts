/** A piece of a message's content. Bytes are allowed wherever a file or an image carries its data. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly image: string | Uint8Array; readonly mediaType?: string }
  | {
      readonly type: 'file';
      readonly data: string | Uint8Array;
      readonly mediaType: string;
      readonly filename?: string;
    };

/** One call that the model asked for. `function.arguments` is the JSON text exactly as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What one model call cost, in tokens. It is a fact about the assistant message that the call produced, so it is kept there. */
export interface ModelUsage {
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/**
 * One entry of a transcript. Messages are written once and never changed in place.
 *
 * A `tool` message answers the call named by `toolCallId` in the assistant turn directly before it; its `content` is the JSON text
 * of the tool's value (`undefined` is kept as `null`). `reasoning` holds a provider's signed blocks and is handed back untouched.
 */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly ContentPart[];
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly name?: string;
  readonly reasoning?: readonly unknown[];
  /**
   * What the provider needs back with its message beyond the fields above, such as the order and the signatures of its parts, or calls
   * that it ran itself. Opaque: only providers read it, and one that does not know it leaves it out. Absent where there is nothing.
   */
  readonly providerParts?: readonly unknown[];
  readonly usage?: ModelUsage;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
