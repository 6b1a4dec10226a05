import type { Checkpoint, Message } from '../contract/index.js';
import { splitTranscript } from '../run/transcript.js';
import { transcriptFaults } from './check-transcript.js';

/**
 * What the store has acknowledged of a run, beside what the model and the tools were asked. A model answer or a tool result that
 * is stored must never be asked for again; the ledger counts where it was.
 */
export class EffectLedger {
  modelCalls = 0;
  toolCalls = 0;
  repeatedModelCalls = 0;
  repeatedTools = 0;
  /** Requests that a provider would have refused, in words. */
  readonly invalidRequests: string[] = [];
  #storedAnswers = 0;
  readonly #storedResults = new Set<string>();

  noteStored(checkpoint: Checkpoint): void {
    this.#storedAnswers = Math.max(this.#storedAnswers, countAnswers(checkpoint.messages));
    for (const key of storedResultKeys(checkpoint)) this.#storedResults.add(key);
  }

  noteModelCall(messages: readonly Message[]): void {
    this.modelCalls += 1;
    this.invalidRequests.push(...transcriptFaults(messages));
    if (countAnswers(messages) < this.#storedAnswers) this.repeatedModelCalls += 1;
  }

  /** `messages` ends with the turn that made the call, or with results of it. */
  noteToolCall(messages: readonly Message[], toolCallId: string): void {
    this.toolCalls += 1;
    if (this.#storedResults.has(resultKey(countAnswers(messages), toolCallId))) this.repeatedTools += 1;
  }
}

function countAnswers(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === 'assistant').length;
}

/** Ids come again in later turns, so a result is known by its turn and its id. */
function resultKey(turn: number, toolCallId: string): string {
  return `${turn}/${toolCallId}`;
}

function storedResultKeys({ messages, settledResults }: Checkpoint): string[] {
  let turn = 0;
  const keys: string[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') turn += 1;
    if (message.role === 'tool') keys.push(resultKey(turn, message.toolCallId ?? ''));
  }
  for (const { call, result } of splitTranscript(messages, settledResults).calls) {
    if (result) keys.push(resultKey(turn, call.id));
  }
  return keys;
}
