import type { Checkpoint, Message } from '../contract/index.js';

/** The messages of an input that a stored session takes: it has its own system prompt. */
export function withoutSystem(messages: readonly Message[]): readonly Message[] {
  return messages.filter((message) => message.role !== 'system');
}

/**
 * What of an input is new to a session whose last run has finished. A re-sent copy of the whole stored history in front is
 * recognised and passed over; anything shorter is new input, so that the same words said again are a new turn.
 */
export function newInputAfterFinish(stored: Checkpoint, input: readonly Message[]): readonly Message[] {
  const history = withoutSystem(stored.messages);
  return startsWith(input, history) ? input.slice(history.length) : input;
}

/**
 * What of an input is new to an unfinished run. Recognised as sent before: the messages that the run started from (alone, with a
 * copy of the history before them, or with what followed), and input that is queued already because the model has not seen it.
 */
export function newInputForUnfinished(
  stored: Pick<Checkpoint, 'messages' | 'runStart'>,
  input: readonly Message[],
): readonly Message[] {
  const start = stored.runStart ?? { messageIndex: 0, messageCount: 0 };
  const started = stored.messages.slice(start.messageIndex, start.messageIndex + start.messageCount);
  const history = withoutSystem(stored.messages.slice(0, start.messageIndex));
  const rest = [...history, ...stored.messages.slice(start.messageIndex)];

  const fresh =
    behindCopy(rest, input, history.length + started.length) ??
    behindCopy(rest.slice(history.length), input, started.length) ??
    input;
  return withoutQueued(stored.messages, fresh);
}

/** `input` without the copy of `stored` at its front, if that copy reaches over the first `atLeast` messages. */
function behindCopy(
  stored: readonly Message[],
  input: readonly Message[],
  atLeast: number,
): readonly Message[] | undefined {
  let common = 0;
  while (common < input.length && common < stored.length && isSameMessage(input[common], stored[common]))
    common++;
  return atLeast > 0 && common >= atLeast ? input.slice(common) : undefined;
}

/** Input that stands unanswered at the transcript's end and comes again is the same input, not more of it. */
function withoutQueued(messages: readonly Message[], input: readonly Message[]): readonly Message[] {
  const lastSeen = messages.findLastIndex((message) => message.role !== 'user');
  const queued = messages.slice(lastSeen + 1);
  // The whole of it, or what was said last: the run's own start may stand unanswered before it.
  const at = queued.findIndex((_, index) => startsWith(input, queued.slice(index)));
  return at === -1 ? input : input.slice(queued.length - at);
}

function startsWith(messages: readonly Message[], prefix: readonly Message[]): boolean {
  return prefix.length > 0 && prefix.every((message, index) => isSameMessage(messages[index], message));
}

/** Equal in what a provider is told: role, content, and the calls made or answered. */
function isSameMessage(a: Message | undefined, b: Message | undefined): boolean {
  return a !== undefined && b !== undefined && tell(a) === tell(b);
}

function tell(message: Message): string {
  const { role, content, toolCallId, toolCalls } = message;
  const calls = toolCalls?.map((call) => [call.id, call.function.name, call.function.arguments]) ?? [];
  return JSON.stringify([
    role,
    typeof content === 'string' ? content : content.map(tellPart),
    toolCallId ?? null,
    calls,
  ]);
}

function tellPart(part: object): unknown {
  return Object.entries(part).map(([key, value]) => [key, value instanceof Uint8Array ? [...value] : value]);
}
