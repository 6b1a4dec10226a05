import type { ContentPart, Message, ToolCall } from '../contract/index.js';
import type { ModelRequest } from '../ports/index.js';
import type { RunState } from '../run/run-state.js';
import { wellFormed } from '../run/text.js';
import type { RunContext } from './run-context.js';

/** What the model is asked next. */
export function modelRequest(context: RunContext, state: RunState, signal: AbortSignal): ModelRequest {
  const { lead } = context.cast;
  const model = lead.model ?? lead.provider.defaultModel;
  return {
    ...(model !== undefined && { model }),
    messages: state.messages.map(sendable),
    tools: [...lead.tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    signal,
    ...(state.sessionId !== undefined && { sessionId: state.sessionId }),
    step: state.stepIndex + 1,
  };
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
