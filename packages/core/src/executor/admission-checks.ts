import { type Checkpoint, ConfigurationError, encode, SDKError } from '../contract/index.js';
import type { RunState } from '../run/run-state.js';
import { openCalls } from '../run/transcript.js';
import type { Cast } from './cast.js';
import type { RunPlan } from './run-plan.js';

/** Checked before anything runs; the record stays as it is. */
export function assertToolsOfOpenCalls({ current }: Cast, state: RunState): void {
  for (const call of openCalls(state.messages, state.settledResults)) {
    if (current.tools.has(call.function.name)) continue;
    throw new SDKError(
      'LOUSHO_RESUME_TOOL_MISSING',
      `session ${state.sessionId}: call ${call.id} is pending on tool ${call.function.name}, which agent ${current.name} does not have`,
    );
  }
}

/** What was copied to another store goes on there, and nowhere else. */
export function assertNotMoved(stored: Checkpoint | null): void {
  if (stored?.movedAt === undefined) return;
  throw new SDKError(
    'LOUSHO_RUN_MOVED',
    `session ${stored.sessionId} was moved to another store at ${stored.movedAt}`,
  );
}

/** A run goes on only on behalf of the principal that it began for. */
export function assertSamePrincipal(plan: RunPlan, stored: Checkpoint | null): void {
  if (plan.principal === undefined || stored?.principal === undefined) return;
  if (encode(plan.principal) === encode(stored.principal)) return;
  throw new ConfigurationError(`session ${stored.sessionId} belongs to another principal`, {
    field: 'principal',
  });
}
