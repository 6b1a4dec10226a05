import { type Message, outermostLeadOf, type ToolCall } from '../contract/index.js';
import type { RunState } from './run-state.js';
import { openCalls } from './transcript.js';

const TASK_NAME = /^task-(\d+)-(\d+)$/;

/**
 * Names the task of a call of the last turn: by where the call stands in the transcript. Settled messages stay where they are, so the
 * name is the same whenever the call runs again, and no other call of the session has it.
 */
export function taskIdOf(messages: readonly Message[], call: ToolCall): string {
  const messageIndex = messages.findLastIndex((message) =>
    message.toolCalls?.some(({ id }) => id === call.id),
  );
  const callIndex = messages[messageIndex]?.toolCalls?.findIndex(({ id }) => id === call.id);
  return `task-${messageIndex}-${callIndex}`;
}

export function isTaskCall(call: ToolCall): boolean {
  return call.function.name === 'task';
}

/** The call that a task is named after; `undefined` for a name that is none of this transcript. */
export function taskCallOf(messages: readonly Message[], taskId: string): ToolCall | undefined {
  const [, messageIndex, callIndex] = TASK_NAME.exec(taskId) ?? [];
  return messages[Number(messageIndex)]?.toolCalls?.[Number(callIndex)];
}

export function isTaskId(taskId: string): boolean {
  return TASK_NAME.test(taskId);
}

/** Where a durable sub-agent's run is kept, beside its lead's. */
export function taskKey(sessionId: string, taskId: string): string {
  return `${sessionId}.${taskId}`;
}

/** Whether a key is that of a sub-agent's run, which nobody but its lead resumes. */
export function isTaskKey(key: string): boolean {
  return outermostLeadOf(key) !== key;
}

/** The tasks whose calls have no result. */
export function openTasks({
  messages,
  settledResults,
}: Pick<RunState, 'messages' | 'settledResults'>): readonly string[] {
  return openCalls(messages, settledResults)
    .filter(isTaskCall)
    .map((call) => taskIdOf(messages, call));
}

/** Every task that the run has begun. */
export function tasksOfRun({
  messages,
  runStart,
}: Pick<RunState, 'messages' | 'runStart'>): readonly string[] {
  return messages
    .slice(runStart.messageIndex)
    .flatMap((message, index) =>
      (message.toolCalls ?? []).flatMap((call, callIndex) =>
        isTaskCall(call) ? [`task-${runStart.messageIndex + index}-${callIndex}`] : [],
      ),
    );
}
