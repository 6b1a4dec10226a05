import type { Checkpoint } from '../contract/index.js';
import type { RunSettings } from '../run/begin-run.js';
import { withInstructionsOf } from '../run/fingerprint.js';
import type { Execution } from './execution.js';

/** What a state needs to know of the plan that runs it, and of the record that it continues. */
export async function settingsOf(
  { plan, runId, fingerprint }: Execution,
  stored: Checkpoint | null,
): Promise<RunSettings> {
  const { agent, businessState, principal, metadata } = plan;
  return {
    sessionId: plan.durable?.sessionId,
    runId,
    agentMaxSteps: plan.agentMaxSteps,
    ...(plan.ownMaxSteps !== undefined && { ownMaxSteps: plan.ownMaxSteps }),
    ifAbsent: plan.ifAbsent,
    systemPrompt: agent.prompt,
    // A stored session keeps the instructions that stand in its transcript.
    agentFingerprint: await withInstructionsOf(stored?.agentFingerprint, await fingerprint),
    ...(plan.conversation && { conversation: plan.conversation }),
    ...(agent.id !== undefined && { agentId: agent.id }),
    ...(businessState !== undefined && { businessState }),
    ...(principal !== undefined && { principal }),
    ...(metadata !== undefined && { metadata }),
  };
}
