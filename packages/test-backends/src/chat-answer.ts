import { signatureOf } from './chat-refusals.js';
import { answersIn, type ChatRequest, type ChatToolCall } from './chat-request.js';

/** What the model says next. */
export interface ChatReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  /** `args` that is text goes out as it is. */
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly args?: unknown }[];
  /** Default: `tool_calls` where there are some, else `stop`. */
  readonly finishReason?: string;
  readonly usage?: Record<string, unknown>;
}

/** Or what goes wrong. */
export type ChatAnswer =
  | ChatReply
  | {
      readonly status: number;
      readonly error: ChatError;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection ends before the first byte, within the answer, or in order but before the answer is whole. */
  | { readonly cut: 'before' | 'within' | 'early'; readonly reply: ChatReply }
  /** A stream that has begun tells of an error. */
  | { readonly streamError: ChatError; readonly reply: ChatReply }
  /** Nothing more comes, until the caller hangs up. */
  | { readonly silence: 'before' | 'within'; readonly reply: ChatReply };

export interface ChatError {
  readonly message: string;
  readonly type?: string;
  readonly code?: string | number;
}

const DEFAULT_USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 5 },
};

export interface BodyOptions {
  readonly request: ChatRequest;
  readonly signsCalls: boolean;
}

/** A completion in one piece. */
export function completion(reply: ChatReply, options: BodyOptions): string {
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(reply.refusal !== undefined && { refusal: reply.refusal }),
    ...(reply.reasoning !== undefined && { reasoning_content: reply.reasoning }),
    ...(reply.toolCalls && { tool_calls: toolCallsOf(reply, options) }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReasonOf(reply) }];
  return JSON.stringify({
    ...header(options, 'chat.completion'),
    choices,
    usage: reply.usage ?? DEFAULT_USAGE,
  });
}

/** The same as server-sent events: text word by word, arguments in two halves, then the reason, then the usage. */
export function events(reply: ChatReply, options: BodyOptions): readonly string[] {
  const chunk = (choices: readonly unknown[], more: object = {}) =>
    event({ ...header(options, 'chat.completion.chunk'), choices, ...more });
  const delta = (fields: object) => chunk([{ index: 0, delta: fields, finish_reason: null }]);
  return [
    delta({ role: 'assistant' }),
    ...words(reply.reasoning).map((word) => delta({ reasoning_content: word })),
    ...words(reply.text).map((word) => delta({ content: word })),
    ...words(reply.refusal).map((word) => delta({ refusal: word })),
    ...toolCallsOf(reply, options).flatMap((call, index) => {
      const { arguments: written } = call.function;
      const half = Math.ceil(written.length / 2);
      return [
        delta({
          tool_calls: [{ index, ...call, function: { ...call.function, arguments: written.slice(0, half) } }],
        }),
        delta({ tool_calls: [{ index, function: { arguments: written.slice(half) } }] }),
      ];
    }),
    chunk([{ index: 0, delta: {}, finish_reason: finishReasonOf(reply) }]),
    chunk([], { usage: reply.usage ?? DEFAULT_USAGE }),
    'data: [DONE]\n\n',
  ];
}

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function header({ request }: BodyOptions, object: string): object {
  return { id: 'chatcmpl-1', object, created: 1_700_000_000, model: `${request.model}-2026` };
}

function toolCallsOf(
  { toolCalls = [] }: ChatReply,
  { request, signsCalls }: BodyOptions,
): readonly ChatToolCall[] {
  const answer = answersIn(request.messages);
  return toolCalls.map(({ id, name, args }, index) => ({
    id,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) },
    ...(signsCalls && { extra_content: { google: { thought_signature: signatureOf(answer, index) } } }),
  }));
}

function finishReasonOf({ finishReason, toolCalls = [] }: ChatReply): string {
  return finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function words(text: string | undefined): readonly string[] {
  return text?.match(/\s+|\S+\s*/g) ?? [];
}
