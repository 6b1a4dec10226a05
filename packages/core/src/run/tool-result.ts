import { encode, type Message, SDKError, type ToolCall } from '../contract/index.js';
import { wellFormed } from './text.js';

/** Why a call has an error result: what the model can act on. */
export type ToolErrorKind =
  | 'execution'
  | 'validation'
  | 'not-found'
  | 'rejected'
  | 'not-run'
  | 'denied'
  | 'interrupted';

export interface ToolFault {
  readonly kind: ToolErrorKind;
  /** The error's name. */
  readonly error: string;
  readonly message: string;
  /** Further fields of the result, such as `issues`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Longest error text that goes into a transcript, in characters. */
const MAX_MESSAGE = 2_000;
const TRUNCATED = '… [truncated]';

/** The result message of a call that returned. Throws `LOUSHO_VALUE_INVALID` when the value cannot be stored. */
export function toolResult(call: ToolCall, value: unknown): Message {
  return {
    role: 'tool',
    toolCallId: call.id,
    toolName: call.function.name,
    content: encode(value ?? null, `result of ${call.function.name}`),
  };
}

/** The structured result of a call that did not return a value. */
export function toolErrorResult(call: ToolCall, fault: ToolFault): Message {
  const body = {
    error: fault.error,
    toolName: call.function.name,
    message: truncate(fault.message),
    kind: fault.kind,
    ...fault.extra,
  };
  return {
    role: 'tool',
    toolCallId: call.id,
    toolName: call.function.name,
    content: encode(body, 'error result'),
    isError: true,
  };
}

/** The result of a call that was never started, or was cancelled. */
export function notRunResult(call: ToolCall, why: string): Message {
  return toolErrorResult(call, {
    kind: 'not-run',
    error: 'ToolNotRunError',
    message: `${call.function.name} did not run: ${why}`,
  });
}

/** The result of a call that was cut off after it had started, or may have. */
export function cancelledResult(call: ToolCall, why: string): Message {
  return toolErrorResult(call, {
    kind: 'not-run',
    error: 'ToolNotRunError',
    message: `${call.function.name} was cancelled because ${why}: it may or may not have taken effect`,
  });
}

export function notFoundResult(call: ToolCall, known: readonly string[]): Message {
  return toolErrorResult(call, {
    kind: 'not-found',
    error: 'ToolNotFoundError',
    message: `There is no tool ${call.function.name}. The tools are: ${known.join(', ') || '(none)'}`,
  });
}

export function deniedResult(call: ToolCall, reason: string): Message {
  return toolErrorResult(call, {
    kind: 'denied',
    error: 'ToolDeniedError',
    message: `${call.function.name} was denied: ${reason}`,
    extra: { reason },
  });
}

/** The result of a call that a person refused. */
export function rejectedResult(call: ToolCall, note: string | undefined): Message {
  return toolErrorResult(call, {
    kind: 'rejected',
    error: 'ToolRejectedError',
    message: `${call.function.name} was rejected by a person${note === undefined ? '' : `: ${note}`}`,
    extra: note === undefined ? {} : { note },
  });
}

/** The result of a call that runs at most once and whose process ended inside it. */
export function interruptedResult(call: ToolCall): Message {
  return toolErrorResult(call, {
    kind: 'interrupted',
    error: 'ToolInterruptedError',
    message:
      `The process ended while ${call.function.name} ran. It may or may not have taken effect, and it is not run again. ` +
      'Check, or ask, before you repeat it.',
  });
}

/** What a thrown value says, as a result: its name and message, never its stack. */
export function thrownResult(call: ToolCall, thrown: unknown): Message {
  const isError = thrown instanceof Error;
  return toolErrorResult(call, {
    kind: 'execution',
    error: isError ? text(thrown.name) : 'Error',
    message: text(thrown instanceof SDKError ? thrown.detail : isError ? thrown.message : thrown),
  });
}

/** Anything can be thrown, also what has no text. */
function text(value: unknown): string {
  try {
    return String(value);
  } catch {
    return `a thrown ${typeof value}`;
  }
}

function truncate(text: string): string {
  if (text.length <= MAX_MESSAGE) return wellFormed(text);
  return `${wellFormed(text.slice(0, MAX_MESSAGE - TRUNCATED.length))}${TRUNCATED}`;
}
