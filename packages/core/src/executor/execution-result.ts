import { decode, type Message, type ModelUsage, type RunUsage } from '../contract/index.js';
import { spentBy } from '../run/delegation.js';
import { handoffsIn } from '../run/handoff.js';
import { type FinishReason, messagesOfRun, type RunState, undecidedCalls } from '../run/run-state.js';
import { joinTranscript, splitTranscript } from '../run/transcript.js';
import { stepUsage } from '../run/usage.js';
import type { BackgroundTask } from './subagents/delegates.js';

/** A call that the run made, with its result. */
export interface ExecutedToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed; the raw text when the model's arguments are not JSON. */
  readonly args: unknown;
  /** Absent while the call has no result. */
  readonly result?: unknown;
  readonly isError?: true;
}

/** What a run came to. Counts are those of this run; `messages` is the whole conversation. */
export interface ExecutionResult {
  readonly runId: string;
  readonly sessionId?: string;
  /** The last reply's text. */
  readonly text: string;
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ExecutedToolCall[];
  readonly usage: RunUsage;
  /** What each model call cost, where the provider told. */
  readonly stepUsage: readonly ModelUsage[];
  readonly finishReason: FinishReason;
  readonly steps: number;
  /** Who answered, where the run was handed over. */
  readonly agentName?: string;
  /** The first undecided approval that the run waits on. */
  readonly approvalId?: string;
  /** All of them, in call order. */
  readonly approvalIds?: readonly string[];
  readonly abortReason?: { readonly name: string; readonly message: string };
  /** The tasks that ran beside this execution, as they stood at its end. */
  readonly backgroundTasks?: readonly BackgroundTask[];
}

export function executionResult(
  state: RunState,
  finishReason: FinishReason,
  abortReason?: unknown,
): ExecutionResult {
  const shown = finishReason === 'awaiting-approval' ? withoutQueued(state) : state.messages;
  const messages = messagesOfRun({ ...state, messages: shown });
  const target = handoffsIn(messages).at(-1);
  return {
    runId: state.runId,
    ...(state.sessionId !== undefined && { sessionId: state.sessionId }),
    text: lastText(messages),
    messages: shown,
    toolCalls: executedCalls(messages),
    usage: spentBy(state),
    stepUsage: stepUsage(messages),
    finishReason,
    steps: state.stepIndex,
    ...(target && { agentName: target.to }),
    ...(finishReason === 'awaiting-approval' && approvalFields(state)),
    ...(finishReason === 'aborted' && { abortReason: describeAbort(abortReason) }),
  };
}

/** Input that came while calls were open is delivered behind their results; until then it is not part of the conversation. */
function withoutQueued({ messages, settledResults }: RunState): readonly Message[] {
  const transcript = splitTranscript(messages, settledResults);
  return joinTranscript({ ...transcript, queued: [] }).messages;
}

function approvalFields(state: RunState): Pick<ExecutionResult, 'approvalId' | 'approvalIds'> {
  const approvalIds = undecidedCalls(state).map((call) => call.approvalId);
  const [approvalId] = approvalIds;
  return { ...(approvalId !== undefined && { approvalId }), approvalIds };
}

function lastText(messages: readonly Message[]): string {
  const reply = messages.findLast((message) => message.role === 'assistant');
  return typeof reply?.content === 'string' ? reply.content : '';
}

/** Results directly follow their turn, so each call's result is looked for there and nowhere else. */
function executedCalls(messages: readonly Message[]): ExecutedToolCall[] {
  return messages.flatMap((message, index) => {
    if (!message.toolCalls?.length) return [];
    const end = messages.findIndex((next, at) => at > index && next.role !== 'tool');
    const results = messages.slice(index + 1, end === -1 ? undefined : end);
    return message.toolCalls.map((call) => {
      const at = results.findIndex((result) => result.toolCallId === call.id);
      const [result] = at === -1 ? [] : results.splice(at, 1);
      return {
        id: call.id,
        name: call.function.name,
        args: parsed(call.function.arguments),
        ...(result && { result: parsed(result.content as string) }),
        ...(result?.isError && { isError: true as const }),
      };
    });
  });
}

export function parsed(text: string): unknown {
  try {
    return decode(text);
  } catch {
    return text;
  }
}

function describeAbort(reason: unknown): { name: string; message: string } {
  if (reason instanceof Error) return { name: reason.name, message: reason.message };
  return { name: 'AbortError', message: reason === undefined ? 'aborted' : String(reason) };
}
