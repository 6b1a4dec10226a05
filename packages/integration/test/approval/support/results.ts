import type { Message } from '@lousho/core/contract';

/** `user assistant(a,b) tool(a) tool(b)`. */
export function roles(messages: readonly Message[]): string {
  return messages
    .map(({ role, toolCalls, toolCallId }) => {
      if (toolCalls) return `${role}(${toolCalls.map((call) => call.id).join(',')})`;
      return toolCallId === undefined ? role : `${role}(${toolCallId})`;
    })
    .join(' ');
}

/** What a call's result says, with `isError`; `undefined` without a result. */
export function resultOf(messages: readonly Message[], toolCallId: string): unknown {
  const found = messages.filter((message) => message.role === 'tool' && message.toolCallId === toolCallId);
  if (found.length > 1) throw new Error(`call ${toolCallId} has ${found.length} results`);
  const [message] = found;
  if (!message) return undefined;
  const value: unknown = JSON.parse(message.content as string);
  return message.isError ? { ...(value as object), isError: true } : value;
}
