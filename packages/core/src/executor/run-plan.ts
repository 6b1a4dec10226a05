import {
  type ApprovalStore,
  assertRunId,
  type CheckpointStore,
  ConfigurationError,
  encode,
  expected,
  guardCheckpointStore,
  type Message,
  positiveInteger,
  ttl,
} from '../contract/index.js';
import {
  type AgentHook,
  consoleLogger,
  type LLMProvider,
  randomIds,
  systemTimers,
  type Tool,
} from '../ports/index.js';
import type { AgentConfig, ExecuteOptions, RunPorts } from './execute-options.js';
import { type LeaseTiming, leaseTiming } from './lease-keeper.js';
import { abortSignal, assertKnownOptions, checkedApprovalStore, toolConcurrency } from './option-checks.js';
import { inputMessages } from './run-input.js';
import { ToolRegistry } from './tool-registry.js';

/** Checked options, with everything filled in. */
export interface RunPlan {
  readonly agent: AgentConfig;
  readonly provider: LLMProvider;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly input: readonly Message[];
  readonly durable: { readonly sessionId: string; readonly store: CheckpointStore } | undefined;
  readonly approvals: ApprovalStore | undefined;
  readonly approvalTtlMs: number | undefined;
  readonly agentMaxSteps: number;
  readonly ownMaxSteps: number | undefined;
  readonly toolConcurrency: number;
  readonly hooks: readonly AgentHook[];
  readonly aborted: AbortSignal;
  readonly lease: Required<LeaseTiming>;
  readonly businessState: unknown;
  readonly principal: unknown;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly ports: RunPorts;
}

/** The default of `maxSteps`. */
export const DEFAULT_MAX_STEPS = 10;

const OPTIONS = [
  'agent',
  'input',
  'provider',
  'toolRegistry',
  'sessionId',
  'checkpointStore',
  'approvalStore',
  'approvalTtlMs',
  'maxSteps',
  'toolConcurrency',
  'hooks',
  'signal',
  'lease',
  'businessState',
  'principal',
  'metadata',
  'ports',
] as const satisfies readonly (keyof ExecuteOptions)[];

/** Rejects wrong options before anything runs. */
export function planRun(options: ExecuteOptions): RunPlan {
  const { agent, provider } = options;
  assertKnownOptions('execute()', options, OPTIONS);
  if (!agent) throw missing('agent', 'LOUSHO_CONFIG_MISSING_AGENT');
  if (!provider) throw missing('provider', 'LOUSHO_CONFIG_MISSING_PROVIDER');
  if (typeof provider.generate !== 'function')
    throw expected('provider.generate', 'a function', provider.generate);
  return {
    agent,
    provider,
    tools: toolsOf(options),
    input: inputMessages(options.input),
    durable: durableOf(options),
    approvals: options.approvalStore && checkedApprovalStore(options.approvalStore),
    approvalTtlMs:
      options.approvalTtlMs === undefined ? undefined : ttl('approvalTtlMs', options.approvalTtlMs),
    agentMaxSteps: positiveInteger('agent.maxSteps', agent.maxSteps ?? DEFAULT_MAX_STEPS),
    ownMaxSteps: options.maxSteps === undefined ? undefined : positiveInteger('maxSteps', options.maxSteps),
    toolConcurrency: toolConcurrency(options.toolConcurrency),
    hooks: options.hooks ?? [],
    aborted: abortSignal(options.signal),
    lease: leaseTiming(options.lease),
    businessState: options.businessState,
    principal: options.principal,
    metadata: options.metadata,
    ports: { timers: systemTimers, ids: randomIds, logger: consoleLogger, ...options.ports },
  };
}

function toolsOf(options: ExecuteOptions): ReadonlyMap<string, Tool> {
  const registry = new ToolRegistry(options.agent.tools);
  registry.registerMany([...(options.toolRegistry?.getAll().values() ?? [])]);
  return registry.getAll();
}

function durableOf(options: ExecuteOptions): RunPlan['durable'] {
  const { sessionId, checkpointStore } = options;
  // An id that is given and undefined was meant to be one: a run without it would survive nothing.
  if (!('sessionId' in options)) return undefined;
  assertRunId(sessionId);
  if (!checkpointStore) throw missing('checkpointStore', 'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE');
  // What the store would refuse is refused now, before a model is paid for.
  for (const field of ['input', 'businessState', 'principal', 'metadata'] as const) {
    if (options[field] !== undefined) encode(options[field], field);
  }
  return { sessionId, store: guardCheckpointStore(checkpointStore) };
}

function missing(
  field: string,
  code:
    | 'LOUSHO_CONFIG_MISSING_AGENT'
    | 'LOUSHO_CONFIG_MISSING_PROVIDER'
    | 'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE',
): ConfigurationError {
  return new ConfigurationError(`Expected \`${field}\`, got none`, { code, field });
}
