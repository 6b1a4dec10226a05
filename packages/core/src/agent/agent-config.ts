import type { AgentConfig } from '../executor/agent-config.js';
import type { AgentSetup } from './agent-options.js';

const configs = new WeakMap<AgentSetup, AgentConfig>();

/** The agent as the executor takes it: one object for each setup, by which a run knows an agent that it comes back to. */
export function agentConfig(setup: AgentSetup): AgentConfig {
  const known = configs.get(setup);
  if (known) return known;
  const { name, id, model, instructions, tools, handoffs, maxSteps } = setup;
  const config = {
    name,
    tools,
    handoffs,
    maxSteps,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(instructions !== undefined && { prompt: instructions }),
  };
  configs.set(setup, config);
  return config;
}
