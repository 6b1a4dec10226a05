import { expected } from '../contract/index.js';
import type { ExecutionResult } from '../executor/execution-result.js';
import type { RunInput } from '../executor/run-input.js';
import type { Delegates } from '../executor/subagents/delegates.js';
import type { Subagent } from '../executor/subagents/subagent.js';
import { type SubagentOptions, subagents } from '../executor/subagents/subagents.js';

/** An agent that the model may give tasks to. */
export interface SubagentDefinition {
  /** How the model names it: 1-64 characters of letters, digits, `_` and `-`. */
  readonly name: string;
  /** Tells the model what to ask it for. */
  readonly description: string;
  /** Made by `createAgent()`. Its store is not used: as a sub-agent, it runs within its lead. */
  readonly agent: {
    readonly name: string;
    send(input: RunInput): Promise<ExecutionResult>;
  };
  /**
   * Keeps its run in a record of its own, so that a lead that crashed resumes it where it stood. Without, it starts over then. Needs a
   * lead with a session id. Default `false`.
   */
  readonly durable?: boolean;
}

export interface SubagentSettings {
  /** Agents that the model may give tasks to. Adds the tools `task`, `agent_status`, `agent_await` and `agent_cancel`. */
  readonly subagents?: readonly SubagentDefinition[];
  readonly subagentOptions?: SubagentOptions;
  /** How deep sub-agents may have sub-agents of their own. Default 1: not at all. */
  readonly maxSubagentDepth?: number;
}

/** What of an agent is used where it works for another one. */
export type Employable = Pick<Subagent, 'agent' | 'provider' | 'hooks' | 'delegates'>;

const employable = new WeakMap<object, Employable>();

/** Makes an agent known as one that others can ask. */
export function registerEmployable(agent: object, parts: Employable): void {
  employable.set(agent, parts);
}

/** The sub-agents of an agent; `undefined` for one that has none. Throws `LOUSHO_CONFIG_INVALID` for wrong definitions. */
export function delegatesOf(settings: SubagentSettings): Delegates | undefined {
  const { subagentOptions, maxSubagentDepth } = settings;
  if (settings.subagents !== undefined && !Array.isArray(settings.subagents))
    throw expected('subagents', 'an array', settings.subagents);
  const definitions = (settings.subagents ?? []).map(subagentOf);
  const depth = maxSubagentDepth === undefined ? {} : { maxDepth: maxSubagentDepth };
  const delegates = subagents(definitions, { ...subagentOptions, ...depth });
  return definitions.length > 0 ? delegates : undefined;
}

function subagentOf(definition: SubagentDefinition, index: number): Subagent {
  const { name, description, agent, durable } = definition ?? {};
  const parts = typeof agent === 'object' && agent !== null ? employable.get(agent) : undefined;
  if (!parts) throw expected(`subagents[${index}].agent`, 'an agent made by createAgent()', agent);
  return { ...parts, name, description, ...(durable !== undefined && { durable }) };
}
