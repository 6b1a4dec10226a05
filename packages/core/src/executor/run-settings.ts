import type { Checkpoint } from '../contract/index.js';
import type { RunSettings } from '../run/begin-run.js';
import { withInstructionsOf } from '../run/fingerprint.js';
import { type Cast, handoffsOfRun } from './cast.js';
import type { Execution } from './execution.js';

/** What a state needs to know of the plan that runs it, of who acts in it, and of the record that it continues. */
export async function settingsOf(
  execution: Execution,
  { lead, current, runConfig }: Cast,
  stored: Checkpoint | null,
  { isNewRun = false }: { readonly isNewRun?: boolean } = {},
): Promise<RunSettings> {
  const renewsSystemPrompt = typeof execution.plan.agent.prompt === 'function';
  // A session keeps the instructions that stand in its transcript: the lead's. What was handed over says what the target was.
  const isKept = stored !== null && handoffsOfRun(stored).length === 0;
  const isRenewed = isNewRun && renewsSystemPrompt;
  const before = isKept && !isRenewed ? stored.agentFingerprint : undefined;
  return {
    ...storedSettings(execution),
    systemPrompt: lead.prompt,
    renewsSystemPrompt,
    runConfig,
    agentFingerprint: await withInstructionsOf(before, await current.fingerprint),
  };
}

/** The same without who acts, for a record that is only shown. */
export function storedSettings({ plan, runId, delegation }: Execution): RunSettings {
  const { agent, businessState, principal, metadata } = plan;
  return {
    sessionId: plan.durable?.sessionId,
    runId,
    agentMaxSteps: plan.agentMaxSteps,
    ...(plan.ownMaxSteps !== undefined && { ownMaxSteps: plan.ownMaxSteps }),
    systemPrompt: undefined,
    ...(plan.conversation && { conversation: plan.conversation }),
    ...(agent.id !== undefined && { agentId: agent.id }),
    ...(delegation && { delegatedBy: delegation.origin }),
    ...(businessState !== undefined && { businessState }),
    ...(principal !== undefined && { principal }),
    ...(metadata !== undefined && { metadata }),
  };
}
