import { type AgentFingerprint, ConfigurationError, expected } from '../contract/index.js';
import type { LLMProvider, Tool } from '../ports/index.js';
import { fingerprint } from '../run/fingerprint.js';
import type { AgentConfig, AgentContext, Handoff, PerRun } from './agent-config.js';
import { handoffsByTool, transferTools } from './handoff.js';
import { ToolRegistry } from './tool-registry.js';

/** An agent as it acts in one run: what may differ from run to run has been asked for. */
export interface ActingAgent {
  readonly config: AgentConfig;
  readonly name: string;
  readonly id: string | undefined;
  readonly prompt: string | undefined;
  /** Without one, the provider's own. */
  readonly model: string | undefined;
  readonly provider: LLMProvider;
  /** The transfers to other agents are among them. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Whom it hands over to, by the name of the transfer. */
  readonly handoffs: ReadonlyMap<string, Handoff>;
  /** Where its model is chosen per run, for the record. */
  readonly chosen: Chosen | undefined;
  readonly fingerprint: Promise<AgentFingerprint>;
}

/** A model that was chosen for a run; `null` chose the provider's own. */
export interface Chosen {
  readonly model: string | null;
}

export interface ActingAgentParts {
  readonly config: AgentConfig;
  readonly provider: LLMProvider;
  /** The tools that are the same in every run. */
  readonly fixedTools: readonly Tool[];
  readonly context: AgentContext;
  /** The run's model, where it was chosen before. */
  readonly chosen: Chosen | undefined;
}

/**
 * Asks the functions of a dynamic agent, each once. Rejects with `LOUSHO_CONFIG_RESOLVER_FAILED` when one throws or gives something
 * else than its field is.
 */
export async function actingAgent(parts: ActingAgentParts): Promise<ActingAgent> {
  const { config, provider, context, chosen } = parts;
  const { name, id } = config;
  const isPerRun = typeof config.model === 'function';
  const model =
    isPerRun && chosen
      ? (chosen.model ?? undefined)
      : await ask(name, 'model', config.model, context, textOf('model'));
  const prompt = await ask(name, 'instructions', config.prompt, context, textOf('instructions'));
  const handoffs = await ask(name, 'handoffs', config.handoffs, context, (list) =>
    handoffsByTool(name, list),
  );
  const own = await toolsOf(parts);
  const tools = new ToolRegistry([...own, ...transferTools(handoffs)]).getAll();
  const traits = {
    model: model ?? provider.defaultModel,
    instructions: prompt,
    tools: [...tools.values()].filter((tool) => !tool.isTransient),
  };
  return {
    config,
    name,
    id,
    prompt,
    model,
    provider,
    tools,
    handoffs,
    chosen: isPerRun ? { model: model ?? null } : undefined,
    fingerprint: fingerprint(traits),
  };
}

/** Whether something of the agent is asked for in each run. */
export function isDynamic({ model, prompt, tools, handoffs }: AgentConfig): boolean {
  return [model, prompt, tools, handoffs].some((field) => typeof field === 'function');
}

async function toolsOf({ config, fixedTools, context }: ActingAgentParts): Promise<readonly Tool[]> {
  if (typeof config.tools !== 'function') return fixedTools;
  const merged = (tools: unknown) => {
    if (tools !== undefined && !Array.isArray(tools)) throw expected('tools', 'an array', tools);
    return [...new ToolRegistry([...(tools ?? []), ...fixedTools]).getAll().values()];
  };
  return ask(config.name, 'tools', config.tools, context, merged);
}

/** The value, or what the function gives, read by `read`. */
async function ask<T, Read>(
  name: string,
  field: string,
  value: PerRun<T> | undefined,
  context: AgentContext,
  read: (value: unknown) => Read,
): Promise<Read> {
  if (typeof value !== 'function') return read(value);
  try {
    return read(await (value as (context: AgentContext) => unknown)(context));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(`${field} of agent ${name} could not be had: ${reason}`, {
      code: 'LOUSHO_CONFIG_RESOLVER_FAILED',
      field,
      cause,
    });
  }
}

function textOf(field: string): (value: unknown) => string | undefined {
  return (value) => {
    if (value === undefined || typeof value === 'string') return value;
    throw expected(field, 'a text', value);
  };
}
