import type { AgentConfig } from '../executor/agent-config.js';
import type { AgentSetup } from './agent-options.js';

/** The agent as the executor takes it. */
export function agentConfig(setup: AgentSetup): AgentConfig {
  const { name, id, model, instructions, tools, maxSteps } = setup;
  return {
    name,
    tools,
    maxSteps,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(instructions !== undefined && { prompt: instructions }),
  };
}
