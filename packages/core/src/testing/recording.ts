import { decode, type Message, SDKError, type ToolCall } from '../contract/index.js';

/** A message in OpenAI's chat format, as recordings have it. */
export interface RecordedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** One user message and all that answers it. */
export interface RecordedTurn {
  readonly input: string;
  /** Model calls of the turn in the recording: the run may make no more. */
  readonly steps: number;
}

/** The user messages that the recording answers, in order. One that nothing follows is left out. */
export function recordedTurns(messages: readonly RecordedMessage[]): readonly RecordedTurn[] {
  const turns: { input: string; steps: number }[] = [];
  for (const message of messages) {
    if (message.role === 'user') turns.push({ input: message.content ?? '', steps: 0 });
    const last = turns.at(-1);
    if (message.role === 'assistant' && last) last.steps += 1;
  }
  return turns.filter((turn) => turn.steps > 0);
}

/** A transcript as a recording of it would look, for a comparison: without what only the run knows. */
export function toRecording(messages: readonly Message[]): readonly RecordedMessage[] {
  return messages.map((message) => {
    if (typeof message.content !== 'string') {
      throw new SDKError(
        'LOUSHO_TEST_FAILED',
        'a recording holds text only, and a message has content parts',
      );
    }
    if (message.role === 'tool') {
      const value = decode(message.content);
      return {
        role: 'tool',
        content: typeof value === 'string' ? value : message.content,
        tool_call_id: message.toolCallId ?? '',
        name: message.toolName ?? '',
      };
    }
    const calls = message.toolCalls?.map(({ id, function: { name, arguments: args } }) => ({
      id,
      function: { name, arguments: args },
    }));
    return { role: message.role, content: message.content, ...(calls && { tool_calls: calls }) };
  });
}

/** A recording in the same form as `toRecording` gives it: up to the last answered user message, absent text as ''. */
export function comparable(messages: readonly RecordedMessage[]): readonly RecordedMessage[] {
  const end = messages.findLastIndex((message) => message.role !== 'user') + 1;
  return messages.slice(0, end).map((message) => ({
    role: message.role,
    content: message.content ?? '',
    ...(message.tool_calls && {
      tool_calls: message.tool_calls.map(({ id, function: { name, arguments: args } }) => ({
        id,
        function: { name, arguments: args },
      })),
    }),
    ...(message.role === 'tool' && { tool_call_id: message.tool_call_id ?? '', name: message.name ?? '' }),
  }));
}

export function toolCallsOf(message: RecordedMessage): ToolCall[] {
  return (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
}
