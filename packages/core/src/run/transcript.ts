import type { Message, ToolCall } from '../contract/index.js';
import { notRunResult } from './tool-result.js';

/** A call of the last tool-call turn and its one result, if it has settled. */
export interface TurnCall {
  readonly call: ToolCall;
  readonly result?: Message;
}

/** A transcript taken apart: everything before the last tool-call turn's results, the turn's calls, and the input behind them. */
export interface Transcript {
  /** Ends with the assistant turn that made `calls`, or is everything the model has seen. */
  readonly settled: readonly Message[];
  readonly calls: readonly TurnCall[];
  /** Messages that the model has not seen yet. */
  readonly queued: readonly Message[];
}

/**
 * Takes a transcript apart by its last assistant turn. Results are matched to calls within their own turn, because providers use
 * ids again; a result that stands apart in `settledResults` counts like one in place.
 */
export function splitTranscript(
  messages: readonly Message[],
  settledResults: readonly Message[] = [],
): Transcript {
  const turnIndex = messages.findLastIndex((message) => message.role === 'assistant');
  const turn = messages[turnIndex];
  if (!turn?.toolCalls?.length) {
    return { settled: messages.slice(0, turnIndex + 1), calls: [], queued: messages.slice(turnIndex + 1) };
  }
  const behind = messages.slice(turnIndex + 1);
  const results = [...behind.filter((message) => message.role === 'tool'), ...settledResults];
  return {
    settled: messages.slice(0, turnIndex + 1),
    calls: matchResults(turn.toolCalls, results),
    queued: behind.filter((message) => message.role !== 'tool'),
  };
}

/** Puts a transcript together again: results that are next in call order in place, later ones apart. */
export function joinTranscript(transcript: Transcript): {
  messages: readonly Message[];
  settledResults: readonly Message[];
} {
  const results = transcript.calls.map((entry) => entry.result);
  const firstOpen = results.indexOf(undefined);
  const inOrder = firstOpen === -1 ? results : results.slice(0, firstOpen);
  const apart = firstOpen === -1 ? [] : results.slice(firstOpen);
  return {
    messages: [...transcript.settled, ...inOrder.filter(isMessage), ...transcript.queued],
    settledResults: apart.filter(isMessage),
  };
}

/** The calls of the last turn that have no result yet, in call order. */
export function openCalls(
  messages: readonly Message[],
  settledResults: readonly Message[],
): readonly ToolCall[] {
  const { calls } = splitTranscript(messages, settledResults);
  return calls.filter((entry) => !entry.result).map((entry) => entry.call);
}

/**
 * Makes every turn but the last valid for every provider: each call directly followed by its one result. A call without one (data
 * from elsewhere, cut short) gets a `not-run` result. Returns the same array when there is nothing to do.
 */
export function repairEarlierTurns(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  const repaired: Message[] = [];
  let at = 0;
  while (at < last) {
    const message = messages[at++];
    if (!message) break;
    repaired.push(message);
    if (message.role !== 'assistant' || !message.toolCalls?.length) continue;
    const results: Message[] = [];
    for (let next = messages[at]; next?.role === 'tool' && at < last; next = messages[++at])
      results.push(next);
    for (const { call, result } of matchResults(message.toolCalls, results)) {
      repaired.push(result ?? notRunResult(call, 'it was cut off before it settled'));
    }
  }
  repaired.push(...messages.slice(Math.max(last, 0)));
  const isSame =
    repaired.length === messages.length && repaired.every((message, i) => message === messages[i]);
  return isSame ? messages : repaired;
}

function matchResults(calls: readonly ToolCall[], results: readonly Message[]): TurnCall[] {
  const left = [...results];
  return calls.map((call) => {
    const at = left.findIndex((result) => result.toolCallId === call.id);
    const [result] = at === -1 ? [] : left.splice(at, 1);
    return result ? { call, result } : { call };
  });
}

function isMessage(message: Message | undefined): message is Message {
  return message !== undefined;
}
