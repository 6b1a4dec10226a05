/** What the lead's model reads of a task that is over. */
export function taskResult(task: {
  readonly taskId: string;
  readonly text: string;
  readonly steps: number;
  readonly finishReason: string;
}): string {
  return `${task.text}\n\n[steps: ${task.steps}, finish reason: ${task.finishReason}, taskId: ${task.taskId}]`;
}
