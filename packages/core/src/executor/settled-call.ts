import type { Message } from '../contract/index.js';
import type { EndedTask } from '../run/delegation.js';
import type { Emit } from './events.js';

/** A call's result, before it is recorded. */
export interface SettledCall {
  readonly result: Message;
  readonly durationMs: number;
  readonly isFromHook?: true;
  /** The task that is over with it. */
  readonly task?: EndedTask;
}

/** Tells the listeners of a result that is recorded. */
export function emitSettled(
  context: { readonly emit: Emit },
  { result, durationMs, isFromHook }: SettledCall,
): void {
  const about = { toolCallId: result.toolCallId ?? '', toolName: result.toolName ?? '', durationMs };
  // Plain JSON, bytes as in the transcript: an event can be sent on as text.
  const value: unknown = JSON.parse(result.content as string);
  if (result.isError) {
    const { error, message } = value as { error: string; message: string };
    context.emit({ type: 'tool.error', ...about, error: { name: error, message } });
  } else {
    context.emit({ type: 'tool.done', ...about, result: value, ...(isFromHook && { replacedByHook: true }) });
  }
}
