import { SDKError } from '../contract/index.js';
import type { LLMProvider, ModelResponse, StandardSchema, Tool, ToolContext } from '../ports/index.js';
import { type RecordedMessage, type RecordedTurn, recordedTurns, toolCallsOf } from './recording.js';

/** A model that gives the recorded answers again, and tools that give the recorded results. */
export interface ReplayModel extends LLMProvider {
  readonly tools: readonly Tool[];
  /** What to send, in order. */
  readonly turns: readonly RecordedTurn[];
  readonly instructions: string | undefined;
}

/**
 * Serves the assistant messages of a recorded conversation in OpenAI's chat format. It keeps no position of its own: which answer is
 * due follows from the request's transcript, so that a run may crash anywhere and be resumed by another process. Asking for more
 * than was recorded rejects with `LOUSHO_TEST_FAILED`.
 */
export function replayModel(messages: readonly RecordedMessage[]): ReplayModel {
  const answers = messages.filter((message) => message.role === 'assistant');
  const names = new Set(answers.flatMap((answer) => toolCallsOf(answer).map((call) => call.function.name)));
  const first = messages[0];
  return {
    name: 'replay',
    generate: async (request) => {
      const due = request.messages.filter((message) => message.role === 'assistant').length;
      const answer = answers[due];
      if (!answer)
        throw failed(`${answers.length} answers are recorded, and answer ${due + 1} was asked for`);
      return responseOf(answer);
    },
    tools: [...names].map((name) => recordedTool(name, messages)),
    turns: recordedTurns(messages),
    instructions: first?.role === 'system' ? (first.content ?? '') : undefined,
  };
}

function responseOf(answer: RecordedMessage): ModelResponse {
  const toolCalls = toolCallsOf(answer);
  return {
    text: answer.content ?? '',
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

function recordedTool(name: string, messages: readonly RecordedMessage[]): Tool {
  return {
    name,
    description: `The recorded results of ${name}`,
    input: ANY_OBJECT,
    inputSchema: { type: 'object' },
    execute: (_, context) => recordedResult(messages, context),
  };
}

/** The result of this call in its own turn: providers use ids again, so the id alone does not name a call. */
function recordedResult(messages: readonly RecordedMessage[], context: ToolContext): string {
  const turn = context.messages.filter((message) => message.role === 'assistant').length;
  let seen = 0;
  const start = messages.findIndex((message) => message.role === 'assistant' && ++seen === turn);
  for (const message of messages.slice(start + 1)) {
    if (message.role !== 'tool') break;
    if (message.tool_call_id === context.toolCallId) return message.content ?? '';
  }
  throw failed(`no result of call ${context.toolCallId} is recorded in turn ${turn}`);
}

const ANY_OBJECT: StandardSchema = {
  '~standard': { version: 1, vendor: 'lousho', validate: (value) => ({ value }) },
};

function failed(detail: string): SDKError {
  return new SDKError('LOUSHO_TEST_FAILED', detail);
}
