import type { ChatMessage, ChatRequest, ChatToolCall } from './chat-request.js';

/**
 * Why a vendor would refuse a request with status 400; `undefined` for one that all of them take. The strictest of OpenAI, Anthropic,
 * Google and the servers that speak like them: what one of them refuses is refused.
 */
export function refusalOf(
  request: ChatRequest,
  options: { readonly signsCalls: boolean },
): string | undefined {
  return (
    toolsRefusal(request) ??
    transcriptRefusal(request.messages) ??
    signatureRefusal(request, options.signsCalls)
  );
}

function toolsRefusal({ tools }: ChatRequest): string | undefined {
  if (tools === undefined) return undefined;
  if (tools.length === 0) return "[] is too short - 'tools'";
  const names = tools.map((tool) => tool.function.name);
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  const wrong = tools.find(
    ({ function: { name, parameters } }) => !isToolName(name) || parameters?.type !== 'object',
  );
  return wrong && `tools: '${wrong.function.name}' has no good name, or parameters that are no object.`;
}

function transcriptRefusal(messages: readonly ChatMessage[] | undefined): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return "[] is too short - 'messages'";
  let open: string[] = [];
  let isFirst = true;
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    if (message.role === 'tool') {
      const place = open.indexOf(message.tool_call_id ?? '');
      if (place === -1)
        return `${at}: messages with role 'tool' must be a response to a preceding message with 'tool_calls', '${message.tool_call_id}' is none.`;
      open.splice(place, 1);
      if (typeof message.content !== 'string') return `${at}: the content of a tool message must be text.`;
    } else {
      if (open.length > 0)
        return `${at}: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. These did not have response messages: ${open.join(', ')}`;
      const refusal =
        message.role === 'assistant' ? assistantRefusal(message, isFirst) : inputRefusal(message, index);
      if (refusal) return `${at}: ${refusal}`;
      open = message.tool_calls?.map((call: ChatToolCall) => call.id) ?? [];
    }
    if (message.role !== 'system') isFirst = false;
  }
  if (open.length > 0) return `tool_call_ids without response messages: ${open.join(', ')}`;
  if (messages.at(-1)?.role === 'assistant') return 'the last message must be of the user, or a tool result.';
  return hasHalfCharacter(messages) ? 'the request is not valid UTF-8.' : undefined;
}

function inputRefusal({ role, content, tool_calls: calls }: ChatMessage, index: number): string | undefined {
  if (role !== 'system' && role !== 'user') return `unknown role '${role}'.`;
  if (calls) return `a ${role} message has no tool calls.`;
  if (role === 'system' && index > 0) return 'a system message must come first.';
  if (role === 'system' && typeof content !== 'string')
    return 'the content of a system message must be text.';
  return content === undefined || content === null || content.length === 0
    ? 'content must not be empty.'
    : undefined;
}

function assistantRefusal(
  { content, tool_calls: calls = [] }: ChatMessage,
  isFirst: boolean,
): string | undefined {
  if (isFirst) return 'the first message must be of the user.';
  if (!content && calls.length === 0) return 'an assistant message must have content or tool calls.';
  const ids = calls.map((call) => call.id);
  if (new Set(ids).size < ids.length) return '`tool_use` ids must be unique.';
  const wrong = calls.find(
    ({ id, function: { name, arguments: text } }) => !id || !isToolName(name) || !isObject(text),
  );
  return wrong && `the call '${wrong.id}' has no id, no good name, or arguments that are no object.`;
}

/** The signature of a call, which a model that signs its calls wants back with it. */
export function signatureOf(answer: number, index: number): string {
  return `signed ${answer}/${index}`;
}

function signatureRefusal({ messages }: ChatRequest, signsCalls: boolean): string | undefined {
  if (!signsCalls) return undefined;
  let answer = 0;
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const [index, call] of (message.tool_calls ?? []).entries()) {
      const signature = call.extra_content?.google?.thought_signature;
      if (signature !== signatureOf(answer, index))
        return `Function call '${call.id}' is missing its thought_signature, got '${signature}'.`;
    }
    answer += 1;
  }
  return undefined;
}

function isToolName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function isObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(text as string);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHalfCharacter);
}
