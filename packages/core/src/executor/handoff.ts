import { expected } from '../contract/index.js';
import { defineTool, type StandardSchema, type Tool } from '../ports/index.js';
import type { AgentConfig, Handoff } from './agent-config.js';

const OPTIONS: readonly string[] = [
  'agent',
  'provider',
  'toolName',
  'description',
  'input',
  'inputJsonSchema',
  'needsApproval',
];

/** The agents that an agent hands over to, by the name of the tool. Throws `LOUSHO_CONFIG_INVALID` for what are none. */
export function handoffsByTool(agentName: string, list: unknown = []): ReadonlyMap<string, Handoff> {
  if (!Array.isArray(list)) throw expected('handoffs', 'an array', list);
  const byTool = new Map<string, Handoff>();
  const names = new Set([agentName]);
  for (const handoff of list as readonly Handoff[]) {
    const { name } = assertHandoff(handoff);
    // A run that is resumed finds its agent by the name.
    if (names.has(name))
      throw expected('handoffs', 'agents whose names differ from each other and from the agent', name);
    names.add(name);
    byTool.set(toolNameOf(handoff), handoff);
  }
  if (byTool.size < list.length)
    throw expected('handoffs', 'agents with tools of different names', [...byTool.keys()]);
  return byTool;
}

/** The tools of handoffs, as the model sees them. */
export function transferTools(handoffs: ReadonlyMap<string, Handoff>): readonly Tool[] {
  return [...handoffs].map(([name, { agent, description, input, inputJsonSchema, needsApproval }]) => ({
    ...defineTool({
      name,
      description: description ?? `Hand the conversation over to ${agent.name}, who goes on in your place.`,
      input: input ?? REASON,
      ...((inputJsonSchema || !input) && { inputJsonSchema: inputJsonSchema ?? REASON_SCHEMA }),
      ...(needsApproval !== undefined && { needsApproval }),
      execute: () => {
        throw new Error(`${name} is carried out by the run`);
      },
    }),
    isTransient: true as const,
  }));
}

function assertHandoff(handoff: Handoff): AgentConfig {
  const { agent } = handoff ?? {};
  if (typeof agent?.name !== 'string') throw expected('handoffs', 'agents', handoff);
  for (const option of Object.keys(handoff)) {
    if (!OPTIONS.includes(option))
      throw expected(`handoff to ${agent.name}`, `one of the options ${OPTIONS.join(', ')}`, option);
  }
  return agent;
}

const MAX_TOOL_NAME = 64;

function toolNameOf({ toolName, agent }: Handoff): string {
  return toolName ?? `transfer_to_${agent.name.replace(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, MAX_TOOL_NAME);
}

const REASON_SCHEMA = {
  type: 'object',
  properties: { reason: { type: 'string', description: 'Why, for whoever goes on' } },
  additionalProperties: false,
};

const REASON: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'lousho',
    validate: (value) => {
      const { reason } = (value ?? {}) as { reason?: unknown };
      if (reason === undefined) return { value: {} };
      return typeof reason === 'string'
        ? { value: { reason } }
        : { issues: [{ message: 'Expected a text', path: ['reason'] }] };
    },
  },
};
