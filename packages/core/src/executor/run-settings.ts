import type { RunSettings } from '../run/begin-run.js';
import type { Execution } from './execution.js';

/** What a state needs to know of the plan that runs it. */
export function settingsOf({ plan, runId }: Execution): RunSettings {
  const { agent, businessState, principal, metadata } = plan;
  return {
    sessionId: plan.durable?.sessionId,
    runId,
    agentMaxSteps: plan.agentMaxSteps,
    ...(plan.ownMaxSteps !== undefined && { ownMaxSteps: plan.ownMaxSteps }),
    systemPrompt: agent.prompt,
    ...(agent.id !== undefined && { agentId: agent.id }),
    ...(businessState !== undefined && { businessState }),
    ...(principal !== undefined && { principal }),
    ...(metadata !== undefined && { metadata }),
  };
}
