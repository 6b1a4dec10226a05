import type { Checkpoint, RunConfig } from '../contract/index.js';
import type { RunAdmission } from '../run/admit.js';
import { inputAs, startInput } from '../run/run-config.js';
import { type ActingAgent, actingAgent, isDynamic } from './acting-agent.js';
import type { AgentContext } from './agent-config.js';
import type { Execution } from './execution.js';

/** Who acts in a run. */
export interface Cast {
  readonly lead: ActingAgent;
  /** What a dynamic agent was asked with, for the run's record. */
  readonly runConfig: RunConfig | undefined;
}

/** The cast of a run that begins now. */
export async function castOf(execution: Execution, admission: RunAdmission): Promise<Cast> {
  if (admission.kind === 'resume') return castOfStored(execution, admission.stored);
  const { plan, turn } = execution;
  const sessionId = turn?.sessionId ?? plan.durable?.sessionId;
  const metadata = plan.metadata ?? (admission.kind === 'follow-up' ? admission.stored.metadata : undefined);
  const ctx = { ...(sessionId !== undefined && { sessionId }), ...(metadata && { metadata }) };
  const lead = await leadOf(execution, { ...ctx, input: inputAs(admission.input, plan.inputAs) }, undefined);
  return { lead, runConfig: runConfigOf(execution, ctx, lead) };
}

/** The cast of a run that goes on: asked with what the run began with, and with the model that was chosen then. */
export async function castOfStored(execution: Execution, stored: Checkpoint): Promise<Cast> {
  const { runConfig } = stored;
  const { sessionId, metadata } = runConfig?.ctx ?? stored;
  const ctx = { ...(sessionId && { sessionId }), ...(metadata && { metadata }) };
  const chosen = runConfig?.model === undefined ? undefined : { model: runConfig.model ?? undefined };
  const lead = await leadOf(execution, { ...ctx, input: startInput(stored) }, chosen);
  return { lead, runConfig: runConfig ?? runConfigOf(execution, ctx, lead, 'messages') };
}

function leadOf(
  { plan }: Execution,
  context: AgentContext,
  chosen: { readonly model: string | undefined } | undefined,
): Promise<ActingAgent> {
  const { agent, provider, tools } = plan;
  return actingAgent({ config: agent, provider, fixedTools: tools, context, chosen });
}

function runConfigOf(
  { plan }: Execution,
  ctx: RunConfig['ctx'],
  { model }: ActingAgent,
  shape = plan.inputAs,
): RunConfig | undefined {
  if (!isDynamic(plan.agent)) return undefined;
  const isModelChosen = typeof plan.agent.model === 'function';
  return { ctx, inputAs: shape, ...(isModelChosen && { model: model ?? null }) };
}
