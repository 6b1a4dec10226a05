import { expected } from '../contract/index.js';
import type { AgentConfig, Handoff, PerRun, TransferTool } from '../executor/agent-config.js';
import type { ExecutionResult } from '../executor/execution-result.js';
import type { RunInput } from '../executor/run-input.js';

/** An agent that may take a run over, made by `createAgent()`. */
export interface HandoffAgent {
  readonly name: string;
  send(input: RunInput): Promise<ExecutionResult>;
}

/** The same with what its transfer is called and needs. */
export interface AgentHandoff extends TransferTool {
  readonly agent: HandoffAgent;
}

export type HandoffList = readonly (HandoffAgent | AgentHandoff)[];

export interface HandoffOptions {
  /**
   * Agents that the model may hand the run over to, each by a tool `transfer_to_<name>`. Whoever takes over has its own provider, model,
   * instructions, tools and handoffs; store, hooks and limits stay those of the agent that was sent to. A function, which is asked once per
   * run, also lets agents hand over to each other.
   */
  readonly handoffs?: PerRun<HandoffList>;
  /** How often a run may be handed over; counted from zero again when it is resumed. Default 5. */
  readonly maxHandoffs?: number;
}

type Target = Required<Pick<Handoff, 'agent' | 'provider'>>;

const targets = new WeakMap<object, Target>();

/** Makes an agent known as one that others can hand over to. */
export function registerTarget(agent: HandoffAgent, target: Target): void {
  targets.set(agent, target);
}

/** Handoffs as the executor takes them. */
export function agentHandoffs(handoffs: HandoffOptions['handoffs']): NonNullable<AgentConfig['handoffs']> {
  if (typeof handoffs !== 'function') return converted(handoffs ?? []);
  return async (context) => converted((await handoffs(context)) ?? []);
}

function converted(list: HandoffList): readonly Handoff[] {
  if (!Array.isArray(list)) throw expected('handoffs', 'an array', list);
  return (list as HandoffList).map((entry) => {
    const isEntry = typeof entry === 'object' && entry !== null;
    const { agent, ...transfer } = isEntry && 'agent' in entry ? entry : { agent: entry };
    const target = isEntry ? targets.get(agent) : undefined;
    if (!target) throw expected('handoffs', 'agents made by createAgent()', agent);
    return { ...transfer, ...target };
  });
}
