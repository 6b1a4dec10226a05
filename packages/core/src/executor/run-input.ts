import { ConfigurationError, type ContentPart, expected, type Message } from '../contract/index.js';
import type { InputShape } from '../run/run-config.js';

/** A user's words, the parts of one user message, or messages. An empty array resumes a session without new input. */
export type RunInput = string | readonly ContentPart[] | readonly Message[];

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

/** The messages of an input. Rejects what no provider would take, with `LOUSHO_CONFIG_INVALID` or `LOUSHO_CONFIG_MISSING_INPUT`. */
export function inputMessages(input: unknown): readonly Message[] {
  if (input === undefined || input === null || input === '') {
    throw new ConfigurationError('Expected an input, got none', {
      code: 'LOUSHO_CONFIG_MISSING_INPUT',
      field: 'input',
    });
  }
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  if (!Array.isArray(input)) throw expected('input', 'a string, content parts or messages', input);
  if (input.length === 0) return [];
  if (isParts(input)) {
    return [{ role: 'user', content: [...(input as ContentPart[])] }];
  }
  input.forEach(assertMessage);
  assertResultsFollowCalls(input as Message[]);
  // Copies: the caller's list may grow before the run has begun.
  return (input as Message[]).map((message) => ({ ...message }));
}

/** In which shape a valid input was given. */
export function inputShape(input: RunInput): InputShape {
  if (typeof input === 'string') return 'text';
  return isParts(input) ? 'parts' : 'messages';
}

function isParts(input: readonly unknown[]): boolean {
  return input.length > 0 && input.every((part) => isObject(part) && 'type' in part && !('role' in part));
}

function assertMessage(message: unknown, index: number): void {
  if (!isObject(message) || !ROLES.includes(message.role)) {
    throw expected(
      `input[${index}].role`,
      'system, user, assistant or tool',
      isObject(message) ? message.role : message,
    );
  }
  const { content } = message;
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw expected(`input[${index}].content`, 'a string or content parts', content);
  }
}

/** A result that answers no call in the turn before it would make every later request invalid. */
function assertResultsFollowCalls(messages: readonly Message[]): void {
  let open: string[] = [];
  messages.forEach((message, index) => {
    if (message.role !== 'tool') {
      open = message.toolCalls?.map((call) => call.id) ?? [];
      return;
    }
    const at = open.indexOf(message.toolCallId ?? '');
    if (at === -1) {
      throw expected(
        `input[${index}].toolCallId`,
        'the id of a call in the turn directly before it',
        message.toolCallId,
      );
    }
    open.splice(at, 1);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
