import { eventError, type RunEventBody } from './events.js';
import type { Execution } from './execution.js';
import type { ExecutionResult } from './execution-result.js';

/**
 * Keeps the events of an execution in their frame: `run.start` first, also where nothing could be started, and `run.done` last in
 * every outcome.
 */
export async function reported<Result extends ExecutionResult | null>(
  execution: Execution,
  work: (execution: Execution) => Promise<Result>,
): Promise<Result> {
  const { agent } = execution.plan;
  let isStarted = false;
  const emit = (event: RunEventBody): void => {
    if (!isStarted && event.type !== 'run.start')
      execution.emit({ type: 'run.start', agentName: agent.name });
    isStarted = true;
    execution.emit(event);
  };
  try {
    const result = await work({ ...execution, emit });
    if (result)
      emit({ type: 'run.done', finishReason: result.finishReason, text: result.text, usage: result.usage });
    return result;
  } catch (error) {
    emit({ type: 'error', error: eventError(error) });
    emit({ type: 'run.done', finishReason: 'error', text: '' });
    throw error;
  }
}
