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

/** A run goes on only on behalf of the principal that it began for. */
export function assertSamePrincipal(plan: RunPlan, stored: Checkpoint | null): void {
  if (plan.principal === undefined || stored?.principal === undefined) return;
  if (encode(plan.principal) === encode(stored.principal)) return;
  throw new ConfigurationError(`session ${stored.sessionId} belongs to another principal`, {
    field: 'principal',
  });
}
