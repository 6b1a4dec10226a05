import { SessionBusyError } from '../contract/index.js';
import type { RunState } from '../run/run-state.js';
import { openCalls } from '../run/transcript.js';
import type { RunLease } from './held-lease.js';
import type { RunPlan } from './run-plan.js';

/**
 * An earlier execution may have died between the approvals of a pause and its checkpoint. A run in progress waits on nobody, so what
 * was asked in its name is no question any more; what still needs a person is asked again, under new ids.
 */
export async function withdrawOrphans(
  { approvals, ports }: RunPlan,
  state: RunState,
  lease: RunLease,
): Promise<void> {
  if (!approvals || openCalls(state.messages, state.settledResults).length === 0) return;
  try {
    const listed = await approvals.list();
    const orphans = listed.filter(
      ({ sessionId, runId }) => sessionId === state.sessionId && runId === state.runId,
    );
    if (orphans.length === 0) return;
    // What was listed while the lease stood cannot be a question of whoever holds it later, however late it is withdrawn.
    await lease.confirmHeld();
    for (const { id } of orphans) await approvals.delete(id);
  } catch (error) {
    if (error instanceof SessionBusyError) throw error;
    // One that stays is found orphaned when somebody decides it.
    ports.logger.warn('lousho: approvals that an interrupted run left behind could not be withdrawn', error);
  }
}
