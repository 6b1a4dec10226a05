import { type Checkpoint, SDKError } from '../contract/index.js';
import { type AgentDrift, describeDrift, driftBetween } from '../run/fingerprint.js';
import type { Cast } from './cast.js';
import type { RunPlan } from './run-plan.js';

/**
 * Compares the agent that acts with what it was at the last save, before any model call or tool. `'error'` rejects with `LOUSHO_AGENT_DRIFT`, the
 * record as it was; `'warn'` gives the difference to tell.
 */
export async function checkDrift(
  plan: RunPlan,
  { current }: Cast,
  stored: Checkpoint,
): Promise<AgentDrift | null> {
  if (plan.onAgentDrift === 'ignore') return null;
  const drift = driftBetween(stored.agentFingerprint, await current.fingerprint);
  if (!drift) return null;
  const text = `session ${stored.sessionId}: agent ${current.name} has changed since the run began: ${describeDrift(drift)}`;
  if (plan.onAgentDrift === 'error') throw new SDKError('LOUSHO_AGENT_DRIFT', text);
  plan.ports.logger.warn(`lousho: ${text}`);
  return drift;
}
