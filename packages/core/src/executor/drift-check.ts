import type { Checkpoint } from '../contract/index.js';
import type { Cast } from './cast.js';
import { driftEvents } from './drift-events.js';
import type { RunEventBody } from './events.js';
import type { RunPlan } from './run-plan.js';

/**
 * Compares the agent that acts with what it was at the last save, and its sub-agents with those that the run waits for, before any model
 * call or tool. `'error'` rejects with `LOUSHO_AGENT_DRIFT`, the record as it was; `'warn'` gives the differences to tell.
 */
export async function checkDrift(
  plan: RunPlan,
  { current }: Cast,
  stored: Checkpoint,
): Promise<readonly RunEventBody[]> {
  const { onAgentDrift, subagents, durable } = plan;
  const { logger } = plan.ports;
  const own = driftEvents(
    { onAgentDrift, logger, name: `session ${stored.sessionId}: agent ${current.name}` },
    { stored: stored.agentFingerprint, current: await current.fingerprint },
  );
  const theirs = await subagents?.check({ onAgentDrift, logger, store: durable?.store, path: [] }, stored);
  return [...own, ...(theirs ?? [])];
}
