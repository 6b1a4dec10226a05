import type { AgentFingerprint } from '../contract/index.js';
import { fingerprint } from '../run/fingerprint.js';
import type { Emit } from './events.js';
import type { RunPlan } from './run-plan.js';

/** One call that runs a plan. */
export interface Execution {
  readonly plan: RunPlan;
  /** Names this execution; a run that it starts keeps it. */
  readonly runId: string;
  readonly emit: Emit;
  readonly streamsText: boolean;
  /** Asked when the call's turn in its session's line has come; rejects to refuse it. */
  readonly precheck?: (() => Promise<void>) | undefined;
  /** Of the plan's agent. */
  readonly fingerprint: Promise<AgentFingerprint>;
}

export function executionOf(plan: RunPlan, call: Omit<Execution, 'plan' | 'fingerprint'>): Execution {
  const { agent, provider, tools } = plan;
  const traits = {
    model: agent.model ?? provider.defaultModel,
    instructions: agent.prompt,
    tools: [...tools.values()],
  };
  return { ...call, plan, fingerprint: fingerprint(traits) };
}
