import type { RunState } from '../run/run-state.js';
import { openCalls } from '../run/transcript.js';
import type { RunPlan } from './run-plan.js';

/**
 * An earlier execution may have died between the approvals of a pause and its checkpoint. A run in progress waits on nobody, so what
 * was asked in its name is no question any more; what still needs a person is asked again, under new ids.
 */
export async function withdrawOrphans({ approvals, ports }: RunPlan, state: RunState): Promise<void> {
  if (!approvals || openCalls(state.messages, state.settledResults).length === 0) return;
  try {
    for (const { id, sessionId, runId } of await approvals.list()) {
      if (sessionId === state.sessionId && runId === state.runId) await approvals.delete(id);
    }
  } catch (error) {
    // One that stays is found orphaned when somebody decides it.
    ports.logger.warn('lousho: approvals that an interrupted run left behind could not be withdrawn', error);
  }
}
