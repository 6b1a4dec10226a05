import type { ContentPart, Message, ToolCall } from '../contract/index.js';
import type { ModelRequest } from '../ports/index.js';
import type { RunState } from '../run/run-state.js';
import { wellFormed } from '../run/text.js';
import type { Cast } from './cast.js';
import type { RunContext } from './run-context.js';

/** What the model is asked next. */
export function modelRequest(context: RunContext, state: RunState, signal: AbortSignal): ModelRequest {
  const { current } = context.cast;
  const model = current.model ?? current.provider.defaultModel;
  return {
    ...(model !== undefined && { model }),
    messages: withPrompt(context.cast, state.messages).map(sendable),
    tools: [...current.tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    signal,
    ...(state.sessionId !== undefined && { sessionId: state.sessionId }),
    step: state.stepIndex + 1,
  };
}

/** The transcript has the instructions of the lead; while another agent acts, it is asked with its own. */
function withPrompt({ lead, current }: Cast, messages: readonly Message[]): readonly Message[] {
  if (current === lead) return messages;
  const { prompt } = current;
  const said = messages[0]?.role === 'system' ? messages.slice(1) : messages;
  return prompt ? [{ role: 'system', content: prompt }, ...said] : said;
}

/** The store is faithful to half an emoji; a provider's UTF-8 request is not. What is the provider's own is handed back untouched. */
function sendable(message: Message): Message {
  const { content, toolCalls } = message;
  return {
    ...message,
    content: typeof content === 'string' ? wellFormed(content) : content.map(sendablePart),
    ...(toolCalls && { toolCalls: toolCalls.map(sendableCall) }),
  };
}

function sendablePart(part: ContentPart): ContentPart {
  return part.type === 'text' ? { ...part, text: wellFormed(part.text) } : part;
}

function sendableCall(call: ToolCall): ToolCall {
  return { ...call, function: { ...call.function, arguments: wellFormed(call.function.arguments) } };
}
