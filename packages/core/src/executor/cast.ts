import { type Checkpoint, type RunConfig, SDKError } from '../contract/index.js';
import type { RunAdmission } from '../run/admit.js';
import { runStartOf } from '../run/begin-run.js';
import { type HandoffMark, handoffsIn } from '../run/handoff.js';
import { inputAs, startInput } from '../run/run-config.js';
import { type ActingAgent, actingAgent, type Chosen, isDynamic } from './acting-agent.js';
import type { AgentConfig, AgentContext } from './agent-config.js';
import type { Execution } from './execution.js';
import type { RunPlan } from './run-plan.js';

/** What of an execution says who acts. */
interface Planned {
  readonly plan: Pick<RunPlan, 'agent' | 'provider' | 'tools' | 'inputAs' | 'maxHandoffs'>;
}

/** The agents of a run: its lead, and whoever acts in its place since the run was handed over. */
export class Cast {
  readonly #acting: Map<AgentConfig, ActingAgent>;
  #current: ActingAgent;
  #handoffs = 0;

  constructor(
    readonly plan: Planned['plan'],
    readonly lead: ActingAgent,
    readonly context: AgentContext,
    /** What a dynamic agent was asked with, for the run's record. */
    readonly runConfig: RunConfig | undefined,
  ) {
    this.#acting = new Map([[lead.config, lead]]);
    this.#current = lead;
  }

  get current(): ActingAgent {
    return this.#current;
  }

  /** How often this execution has handed the run over, and how often it may: counted from zero again when a run is resumed. */
  get handoffs(): { readonly done: number; readonly max: number } {
    return { done: this.#handoffs, max: this.plan.maxHandoffs };
  }

  /** The agent that a transfer leads to. A dynamic one is asked once per run, with what the run began with. */
  async targetOf(toolName: string, chosen?: Chosen): Promise<ActingAgent> {
    const { agent: config, provider = this.plan.provider } = this.current.handoffs.get(toolName) ?? {};
    if (!config) throw this.#gone(toolName);
    const known = this.#acting.get(config);
    if (known) return known;
    const fixedTools = typeof config.tools === 'function' ? [] : (config.tools ?? []);
    const target = await actingAgent({ config, provider, fixedTools, context: this.context, chosen });
    this.#acting.set(config, target);
    return target;
  }

  handOver(target: ActingAgent): void {
    this.#handoffs += 1;
    this.#current = target;
  }

  /** Goes the way that a stored run has gone. Rejects with `LOUSHO_RESUME_TOOL_MISSING` where it is not there any more. */
  async follow(marks: readonly HandoffMark[]): Promise<void> {
    for (const { to, model } of marks) {
      const found = [...this.current.handoffs].find(([, { agent }]) => agent.name === to);
      if (!found) throw this.#gone(`the transfer to ${to}`);
      this.#current = await this.targetOf(found[0], model === undefined ? undefined : { model });
    }
  }

  #gone(what: string): SDKError {
    return new SDKError(
      'LOUSHO_RESUME_TOOL_MISSING',
      `the run was handed over by ${what}, which agent ${this.current.name} does not have`,
    );
  }
}

/** The cast of a run that begins now. */
export async function castOf(execution: Execution, admission: RunAdmission): Promise<Cast> {
  if (admission.kind === 'resume') return castOfStored(execution, admission.stored);
  const { plan, turn } = execution;
  const sessionId = turn?.sessionId ?? plan.durable?.sessionId;
  const metadata = plan.metadata ?? (admission.kind === 'follow-up' ? admission.stored.metadata : undefined);
  const ctx = { ...(sessionId !== undefined && { sessionId }), ...(metadata && { metadata }) };
  const context = { ...ctx, input: inputAs(admission.input, plan.inputAs) };
  const lead = await leadOf(plan, context, undefined);
  return new Cast(plan, lead, context, runConfigOf(lead, ctx, plan.inputAs));
}

/** The cast of a run that goes on: asked with what the run began with, and with the models that were chosen then. */
export async function castOfStored({ plan }: Planned, stored: Checkpoint): Promise<Cast> {
  const { runConfig } = stored;
  const { sessionId, metadata } = runConfig?.ctx ?? stored;
  const ctx = { ...(sessionId && { sessionId }), ...(metadata && { metadata }) };
  const context = { ...ctx, input: startInput(stored) };
  const lead = await leadOf(
    plan,
    context,
    runConfig?.model === undefined ? undefined : { model: runConfig.model },
  );
  const cast = new Cast(plan, lead, context, runConfig ?? runConfigOf(lead, ctx, 'messages'));
  await cast.follow(handoffsOfRun(stored));
  return cast;
}

/** The transfers of the record's run; those of earlier runs of its session have ended with them. */
export function handoffsOfRun(stored: Checkpoint): readonly HandoffMark[] {
  return handoffsIn(stored.messages.slice(runStartOf(stored).messageIndex));
}

function leadOf(
  plan: Planned['plan'],
  context: AgentContext,
  chosen: Chosen | undefined,
): Promise<ActingAgent> {
  const { agent, provider, tools } = plan;
  return actingAgent({ config: agent, provider, fixedTools: [...tools.values()], context, chosen });
}

/** Also of a fixed agent that may hand over: the target may be a dynamic one. */
function runConfigOf(
  lead: ActingAgent,
  ctx: RunConfig['ctx'],
  shape: RunConfig['inputAs'],
): RunConfig | undefined {
  if (!isDynamic(lead.config) && lead.handoffs.size === 0) return undefined;
  return { ctx, inputAs: shape, ...lead.chosen };
}
