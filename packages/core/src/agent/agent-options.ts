import {
  type AgentStore,
  type ApprovalStore,
  assertSupportedRuntime,
  type CheckpointStore,
  ConfigurationError,
  expected,
  guardCheckpointStore,
  positiveInteger,
  type SessionStore,
  ttl,
} from '../contract/index.js';
import type { AgentConfig, PerRun } from '../executor/agent-config.js';
import type { OnAgentDrift, RunPorts } from '../executor/execute-options.js';
import { handoffsByTool, transferTools } from '../executor/handoff.js';
import { type LeaseTiming, leaseTiming } from '../executor/lease-keeper.js';
import {
  checkedApprovalStore,
  checkedObserver,
  onAgentDrift,
  toolConcurrency,
} from '../executor/option-checks.js';
import { DEFAULT_MAX_HANDOFFS, DEFAULT_MAX_STEPS } from '../executor/run-plan.js';
import type { Delegates } from '../executor/subagents/delegates.js';
import { ToolRegistry } from '../executor/tool-registry.js';
import {
  type AgentHook,
  consoleLogger,
  type LLMProvider,
  type Observer,
  randomIds,
  type Skill,
  systemTimers,
  type Tool,
} from '../ports/index.js';
import { askQuestion } from './ask-question.js';
import { agentHandoffs, type HandoffOptions } from './handoff-options.js';
import { loadSkillTool } from './load-skill.js';
import { checkGuarantees } from './store-guarantees.js';
import { delegatesOf, type SubagentSettings } from './subagent-options.js';

export interface CreateAgentOptions extends HandoffOptions, SubagentSettings {
  /** The model that the agent asks. */
  readonly provider: LLMProvider;
  /** Passed to the provider with each request; default: the provider's own. A function chooses it for each run. */
  readonly model?: PerRun<string>;
  /** Shown in events and errors. Default `'agent'`. */
  readonly name?: string;
  readonly id?: string;
  /** The system prompt of new sessions; of each run or session turn, where it is a function. */
  readonly instructions?: PerRun<string>;
  /** The same as `instructions`; give one of them. */
  readonly prompt?: PerRun<string>;
  readonly tools?: PerRun<readonly Tool[]>;
  /** Makes calls with a session id durable. */
  readonly store?: AgentStore;
  /** Where calls that need approval ask; before the store's own. */
  readonly approvalStore?: ApprovalStore;
  /** How long an approval may be given, in milliseconds. Default: it does not expire. */
  readonly approvalTtlMs?: number;
  /** Instructions that the model reads when it needs them; adds the built-in tool `load_skill`. */
  readonly skills?: readonly Skill[];
  /** Adds the built-in tool `ask_question`. */
  readonly askQuestion?: boolean;
  /** Model calls that a run may make, over all its resumes. Default 10. */
  readonly maxSteps?: number;
  /** Tool calls of one turn at a time. Default `'unbounded'`. */
  readonly toolConcurrency?: number | 'unbounded';
  readonly hooks?: readonly AgentHook[];
  /**
   * Watches runs, for telemetry: `telemetry()` of `@lousho/telemetry` is one. What it throws is said once through the logger, and no run
   * fails of it.
   */
  readonly observer?: Observer;
  /**
   * What a change of the agent (model, tools, instructions) does to runs that began before it. Default `'warn'`: a warning, an
   * `agent.drift` event, and the run goes on. `'error'` rejects with `LOUSHO_AGENT_DRIFT`, the record as it was.
   */
  readonly onAgentDrift?: OnAgentDrift;
  /** Default: 30 s, renewed every 10 s. */
  readonly lease?: LeaseTiming;
  /**
   * Refuses, with `LOUSHO_CONFIG_INVALID`, a store that does not declare that a process which lost a session can never save to it
   * again. Default: any store is taken, and what it does not guarantee is said once through the logger.
   */
  readonly requireFencing?: 'atomic';
  /** Time, ids and warnings, for tests and special runtimes. */
  readonly ports?: Partial<RunPorts>;
}

/** Checked options, with everything filled in. */
export interface AgentSetup {
  readonly name: string;
  readonly id: string | undefined;
  readonly model: PerRun<string> | undefined;
  readonly instructions: PerRun<string> | undefined;
  readonly provider: LLMProvider;
  readonly tools: PerRun<readonly Tool[]>;
  readonly checkpoints: CheckpointStore | undefined;
  readonly approvals: ApprovalStore | undefined;
  readonly sessions: SessionStore | undefined;
  readonly approvalTtlMs: number | undefined;
  readonly maxSteps: number;
  readonly handoffs: NonNullable<AgentConfig['handoffs']>;
  readonly maxHandoffs: number;
  readonly toolConcurrency: number | 'unbounded';
  readonly hooks: readonly AgentHook[];
  readonly observer: Observer | undefined;
  readonly onAgentDrift: OnAgentDrift;
  readonly subagents: Delegates | undefined;
  readonly lease: Required<LeaseTiming>;
  readonly ports: RunPorts;
}

const OPTIONS: ReadonlySet<string> = new Set([
  'provider',
  'model',
  'name',
  'id',
  'instructions',
  'prompt',
  'tools',
  'store',
  'approvalStore',
  'approvalTtlMs',
  'skills',
  'askQuestion',
  'maxSteps',
  'handoffs',
  'maxHandoffs',
  'toolConcurrency',
  'hooks',
  'observer',
  'onAgentDrift',
  'subagents',
  'subagentOptions',
  'maxSubagentDepth',
  'lease',
  'requireFencing',
  'ports',
]);

const DEFAULT_NAME = 'agent';

export function agentSetup(options: CreateAgentOptions): AgentSetup {
  assertSupportedRuntime();
  for (const option of Object.keys(options)) {
    // Passed over in silence, a misspelt or a newer option would be missed only in production.
    if (!OPTIONS.has(option))
      throw expected(`createAgent()`, `one of the options ${[...OPTIONS].join(', ')}`, option);
  }
  if (!options.provider) {
    throw new ConfigurationError('Expected `provider`, got none', {
      code: 'LOUSHO_CONFIG_MISSING_PROVIDER',
      field: 'provider',
    });
  }
  if (typeof options.provider.generate !== 'function')
    throw expected('provider.generate', 'a function', options.provider.generate);
  if (options.instructions !== undefined && options.prompt !== undefined) {
    throw new ConfigurationError('Expected either `instructions` or `prompt`, got both', {
      code: 'LOUSHO_CONFIG_CONFLICTING_OPTIONS',
      field: 'prompt',
    });
  }
  const checkpoints = options.store?.checkpoints;
  const approvals = options.approvalStore ?? options.store?.approvals;
  toolConcurrency(options.toolConcurrency);
  const ports = { timers: systemTimers, ids: randomIds, logger: consoleLogger, ...options.ports };
  const guarded = checkpoints && guardCheckpointStore(checkpoints);
  checkGuarantees(guarded, { requireFencing: options.requireFencing, logger: ports.logger });
  return {
    name: options.name ?? DEFAULT_NAME,
    id: options.id,
    model: options.model,
    instructions: options.instructions ?? options.prompt,
    provider: options.provider,
    tools: toolsOf(options),
    checkpoints: guarded,
    sessions: options.store?.sessions,
    approvals: approvals && checkedApprovalStore(approvals),
    approvalTtlMs:
      options.approvalTtlMs === undefined ? undefined : ttl('approvalTtlMs', options.approvalTtlMs),
    maxSteps: positiveInteger('maxSteps', options.maxSteps ?? DEFAULT_MAX_STEPS),
    handoffs: checkedHandoffs(options),
    maxHandoffs: positiveInteger('maxHandoffs', options.maxHandoffs ?? DEFAULT_MAX_HANDOFFS),
    toolConcurrency: options.toolConcurrency ?? 'unbounded',
    hooks: options.hooks ?? [],
    observer: checkedObserver(options.observer),
    onAgentDrift: onAgentDrift(options.onAgentDrift),
    subagents: delegatesOf(options),
    lease: leaseTiming(options.lease),
    ports,
  };
}

/** The agent's own tools and the built-in ones; two of one name are refused at once, where they are known. */
function toolsOf({ tools = [], skills, askQuestion: asks }: CreateAgentOptions): PerRun<readonly Tool[]> {
  const builtIn = [...(asks ? [askQuestion] : []), ...loadSkillTool(skills)];
  if (typeof tools === 'function') {
    return async (context) => {
      const given = (await tools(context)) ?? [];
      if (!Array.isArray(given)) throw expected('tools', 'an array', given);
      return [...given, ...builtIn];
    };
  }
  return [...new ToolRegistry([...tools, ...builtIn]).getAll().values()];
}

/** What is known of them now is checked now; a function is asked when a run begins. */
function checkedHandoffs(options: CreateAgentOptions): AgentSetup['handoffs'] {
  const handoffs = agentHandoffs(options.handoffs);
  if (typeof handoffs === 'function' || handoffs.length === 0) return handoffs;
  const { name = DEFAULT_NAME } = options;
  const tools = toolsOf(options);
  const transfers = transferTools(handoffsByTool(name, handoffs));
  new ToolRegistry([...(typeof tools === 'function' ? [] : tools), ...transfers]);
  return handoffs;
}

/** The setup's checkpoint store, for calls that are about nothing else. */
export function checkpointsOf(setup: AgentSetup, method: string): CheckpointStore {
  if (setup.checkpoints) return setup.checkpoints;
  throw new ConfigurationError(`Expected a \`store\` with checkpoints for ${method}(), got none`, {
    code: 'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE',
    field: 'store',
  });
}
