import type { Checkpoint, ContentPart, Message } from '../contract/index.js';
import { runStartOf } from './begin-run.js';

/** In which shape an input was given. */
export type InputShape = 'text' | 'parts' | 'messages';

/** Messages as the input that they came as. */
export function inputAs(
  messages: readonly Message[],
  shape: InputShape,
): string | readonly ContentPart[] | readonly Message[] {
  const [only] = messages;
  if (messages.length !== 1 || !only) return messages;
  const { content } = only;
  if (shape === 'text' && typeof content === 'string') return content;
  return shape === 'parts' && typeof content !== 'string' ? content : messages;
}

/**
 * The input that a stored run began with. It stands in the transcript and is not kept a second time: a record's head is written with
 * every save, and an input may be large.
 */
export function startInput(stored: Checkpoint): ReturnType<typeof inputAs> {
  const { messageIndex, messageCount } = runStartOf(stored);
  const began = stored.messages.slice(messageIndex, messageIndex + messageCount);
  return inputAs(began, stored.runConfig?.inputAs ?? 'messages');
}
