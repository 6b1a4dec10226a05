import { decode, type Message, type ToolCall } from '../contract/index.js';
import { argsOf } from './call-args.js';

const ENDS: readonly string[] = ['agent_await', 'agent_cancel'];

/** What waiting for a task, or stopping it, came to before: it is over, and whoever waits again is told the same, in any process. */
export function collectedAnswer(messages: readonly Message[], taskId: string): unknown {
  for (const [index, message] of messages.entries()) {
    for (const call of message.toolCalls ?? []) {
      if (!ENDS.includes(call.function.name) || argsOf(call).taskId !== taskId) continue;
      const result = resultOf(messages, index, call);
      if (result && !result.isError) return decode(result.content as string);
    }
  }
  return undefined;
}

/** Results directly follow their turn. */
function resultOf(messages: readonly Message[], turnIndex: number, call: ToolCall): Message | undefined {
  for (const message of messages.slice(turnIndex + 1)) {
    if (message.role !== 'tool') return undefined;
    if (message.toolCallId === call.id) return message;
  }
  return undefined;
}
