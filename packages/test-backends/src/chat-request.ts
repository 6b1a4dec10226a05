/** A call as OpenAI's chat completions write it; Google's signature of it rides along. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string } };
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content?: string | readonly Record<string, unknown>[] | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

/** The body of a request for a chat completion. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly {
    readonly type: 'function';
    readonly function: {
      readonly name: string;
      readonly description?: string;
      readonly parameters: Record<string, unknown>;
    };
  }[];
  readonly stream?: boolean;
  readonly [setting: string]: unknown;
}

/** Answers that this model has given so far: which one is due follows from the transcript. */
export function answersIn(messages: readonly ChatMessage[]): number {
  return messages.filter((message) => message.role === 'assistant').length;
}
