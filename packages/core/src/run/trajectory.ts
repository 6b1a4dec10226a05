import { type Checkpoint, decode, type Message } from '../contract/index.js';
import { canonical } from './canonical.js';

/** One call of a step, with arguments and result as values. */
export interface TrajectoryCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly result?: unknown;
}

/** One assistant turn: what it said and what its calls came to. */
export interface TrajectoryStep {
  readonly text: string;
  readonly tools: readonly TrajectoryCall[];
}

/** The steps of a checkpoint or a transcript, in order. */
export function trajectory(run: Checkpoint | readonly Message[]): readonly TrajectoryStep[] {
  const messages = messagesOf(run);
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const results = resultsBehind(messages, index);
    const tools = (message.toolCalls ?? []).map((call): TrajectoryCall => {
      const at = results.findIndex((result) => result.toolCallId === call.id);
      const [result] = at === -1 ? [] : results.splice(at, 1);
      return {
        id: call.id,
        name: call.function.name,
        args: asValue(call.function.arguments),
        ...(result && { result: asValue(textOf(result)) }),
      };
    });
    return [{ text: textOf(message), tools }];
  });
}

/** A step's text for comparison: ids and the order of keys do not count. */
export function stepKey(step: TrajectoryStep): string {
  return canonical([
    step.text,
    step.tools.map(({ name, args, result }) => (result === undefined ? [name, args] : [name, args, result])),
  ]);
}

export function isCheckpoint(run: Checkpoint | readonly Message[]): run is Checkpoint {
  return !Array.isArray(run);
}

function messagesOf(run: Checkpoint | readonly Message[]): readonly Message[] {
  return isCheckpoint(run) ? [...run.messages, ...(run.settledResults ?? [])] : run;
}

function resultsBehind(messages: readonly Message[], index: number): Message[] {
  const next = messages.findIndex((message, at) => at > index && message.role === 'assistant');
  return messages.slice(index + 1, next === -1 ? undefined : next).filter(({ role }) => role === 'tool');
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('');
}

function asValue(text: string): unknown {
  try {
    return decode(text);
  } catch {
    return text;
  }
}
