import {
  type Agent,
  type AgentStore,
  type CreateAgentOptions,
  createAgent,
  type SubagentDefinition,
  type Tool,
} from '@lousho/core';
import {
  countingTool,
  type Execute,
  type ScriptedModel,
  scriptedModel,
  type Turn,
} from '../../approval/support/workshop.js';

export interface Member {
  readonly turns: readonly Turn[];
  readonly open?: readonly string[];
  readonly gated?: readonly string[];
  readonly once?: readonly string[];
  readonly durable?: boolean;
  readonly askQuestion?: boolean;
  readonly does?: Readonly<Record<string, Execute>>;
  readonly instructions?: CreateAgentOptions['instructions'];
  readonly modelName?: CreateAgentOptions['model'];
  readonly maxSteps?: number;
  /** Its own sub-agents. */
  readonly members?: Readonly<Record<string, Member>>;
  readonly model?: ScriptedModel;
  readonly hooks?: CreateAgentOptions['hooks'];
}

export interface TeamOptions extends Partial<Omit<CreateAgentOptions, 'provider' | 'model' | 'subagents'>> {
  readonly store?: AgentStore;
  readonly turns: readonly Turn[];
  readonly members: Readonly<Record<string, Member>>;
  readonly open?: readonly string[];
  readonly gated?: readonly string[];
  readonly does?: Readonly<Record<string, Execute>>;
  /** The call ids of the tools that ran, across processes where it is shared. */
  readonly effects?: string[];
  /** What providers and tools go through on their way to the agents. */
  readonly world?: {
    provider(provider: ScriptedModel, name: string): CreateAgentOptions['provider'];
    tools(tools: readonly Tool[]): readonly Tool[];
  };
}

export interface Team {
  readonly lead: Agent;
  readonly effects: string[];
  /** The lead's, and each member's by its name. */
  readonly models: Readonly<Record<string, ScriptedModel>>;
}

/** What every model call of a team costs. */
export const USAGE = { inputTokens: 100, outputTokens: 10 };

/** A lead and its sub-agents, as a process makes them when it starts. */
export function team(options: TeamOptions): Team {
  const { turns, members, open = [], gated = [], does = {}, effects = [], world, ports, ...rest } = options;
  const models: Record<string, ScriptedModel> = {};
  const model = (name: string, script: readonly Turn[], given?: ScriptedModel) => {
    const provider =
      given ??
      scriptedModel(
        script,
        script.map(() => USAGE),
      );
    models[name] = provider;
    return world ? world.provider(provider, name) : provider;
  };
  const tools = (of: Pick<Member, 'open' | 'gated' | 'once' | 'does'>): readonly Tool[] => {
    const make = (name: string, more: Pick<Tool, 'needsApproval' | 'rerun'>) => {
      const execute = of.does?.[name];
      return countingTool({ name, effects, ...more, ...(execute && { execute }) });
    };
    const made = [
      ...(of.open ?? []).map((name) => make(name, {})),
      ...(of.gated ?? []).map((name) => make(name, { needsApproval: true })),
      ...(of.once ?? []).map((name) => make(name, { rerun: 'never' })),
    ];
    return world ? world.tools(made) : made;
  };
  const quiet = { logger: { warn: () => undefined }, ...ports };
  const definition = ([name, member]: readonly [string, Member]): SubagentDefinition => ({
    name,
    description: `does ${name}`,
    ...(member.durable !== undefined && { durable: member.durable }),
    agent: createAgent({
      name,
      provider: model(name, member.turns, member.model),
      tools: tools(member),
      ports: quiet,
      ...(member.askQuestion && { askQuestion: true }),
      ...(member.hooks && { hooks: member.hooks }),
      ...(member.instructions !== undefined && { instructions: member.instructions }),
      ...(member.modelName !== undefined && { model: member.modelName }),
      ...(member.maxSteps !== undefined && { maxSteps: member.maxSteps }),
      ...(member.members && { subagents: Object.entries(member.members).map(definition) }),
    }),
  });
  const lead = createAgent({
    name: 'lead',
    ...rest,
    ports: quiet,
    provider: model('lead', turns),
    tools: tools({ open, gated, does }),
    subagents: Object.entries(members).map(definition),
  });
  return { lead, effects, models };
}

/** A call of `task`. */
export function task(id: string, agent: string, more: object = {}) {
  return { id, tool: 'task', args: { agent, prompt: `Do ${agent}`, description: agent, ...more } };
}

export function usageOf(modelCalls: number, delegated?: { runs: number; modelCalls: number }): object {
  const tokens = (calls: number) => ({
    inputTokens: 100 * calls,
    outputTokens: 10 * calls,
    totalTokens: 110 * calls,
    modelCalls: calls,
  });
  return {
    ...tokens(modelCalls),
    ...(delegated && { delegated: { runs: delegated.runs, ...tokens(delegated.modelCalls) } }),
  };
}
