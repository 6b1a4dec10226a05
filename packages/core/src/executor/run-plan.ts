import {
  type ApprovalStore,
  assertRunId,
  assertStoreKey,
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
import type { InputShape } from '../run/run-config.js';
import type { AgentConfig } from './agent-config.js';
import type { ExecuteOptions, OnAgentDrift, RunPorts } from './execute-options.js';
import { handoffsByTool } from './handoff.js';
import { type LeaseTiming, leaseTiming } from './lease-keeper.js';
import {
  abortSignal,
  assertKnownOptions,
  checkedApprovalStore,
  checkedObserver,
  onAgentDrift,
  toolConcurrency,
} from './option-checks.js';
import { inputMessages, inputShape } from './run-input.js';
import type { Delegates } from './subagents/delegates.js';
import { ToolRegistry } from './tool-registry.js';
import { Watch } from './watch.js';

/** Checked options, with everything filled in. */
export interface RunPlan {
  readonly agent: AgentConfig;
  readonly provider: LLMProvider;
  /** The tools that are the same in every run. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly input: readonly Message[];
  /** In which shape the input was given. */
  readonly inputAs: InputShape;
  readonly durable: { readonly sessionId: string; readonly store: CheckpointStore } | undefined;
  /** What was said before, where the run is a turn of a session. */
  readonly conversation?: readonly Message[];
  readonly approvals: ApprovalStore | undefined;
  readonly approvalTtlMs: number | undefined;
  readonly agentMaxSteps: number;
  readonly ownMaxSteps: number | undefined;
  readonly maxHandoffs: number;
  readonly toolConcurrency: number;
  readonly hooks: readonly AgentHook[];
  /** Where what happens is observed; absent where nobody does. */
  readonly watch: Watch | undefined;
  /** The caller's, where one was given. */
  readonly aborted: AbortSignal | undefined;
  readonly lease: Required<LeaseTiming>;
  readonly businessState: unknown;
  readonly principal: unknown;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly ifAbsent: boolean;
  readonly onAgentDrift: OnAgentDrift;
  readonly subagents: Delegates | undefined;
  readonly ports: RunPorts;
}

/** The default of `maxSteps`. */
export const DEFAULT_MAX_STEPS = 10;

/** The default of `maxHandoffs`. */
export const DEFAULT_MAX_HANDOFFS = 5;

const OPTIONS = [
  'agent',
  'input',
  'provider',
  'toolRegistry',
  'sessionId',
  'ifAbsent',
  'checkpointStore',
  'approvalStore',
  'approvalTtlMs',
  'maxSteps',
  'maxHandoffs',
  'toolConcurrency',
  'hooks',
  'observer',
  'signal',
  'lease',
  'businessState',
  'principal',
  'metadata',
  'onAgentDrift',
  'subagents',
  'ports',
] as const satisfies readonly (keyof ExecuteOptions)[];

/** A run that is a turn of a session: kept under the session's own key, behind what was said before. */
export function planTurn(options: ExecuteOptions, conversation: readonly Message[]): RunPlan {
  return { ...plan(options, assertStoreKey), conversation };
}

/** A run that goes on under the key that its record names. */
export function planStored(options: ExecuteOptions): RunPlan {
  return plan(options, assertStoreKey);
}

/** Rejects wrong options before anything runs. */
export function planRun(options: ExecuteOptions): RunPlan {
  return plan(options, assertRunId);
}

function plan(options: ExecuteOptions, assertId: (id: unknown) => void): RunPlan {
  const { agent, provider } = options;
  const ports = { timers: systemTimers, ids: randomIds, logger: consoleLogger, ...options.ports };
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
    inputAs: inputShape(options.input),
    durable: durableOf(options, assertId),
    approvals: options.approvalStore && checkedApprovalStore(options.approvalStore),
    approvalTtlMs:
      options.approvalTtlMs === undefined ? undefined : ttl('approvalTtlMs', options.approvalTtlMs),
    agentMaxSteps: positiveInteger('agent.maxSteps', agent.maxSteps ?? DEFAULT_MAX_STEPS),
    ownMaxSteps: options.maxSteps === undefined ? undefined : positiveInteger('maxSteps', options.maxSteps),
    maxHandoffs: positiveInteger('maxHandoffs', options.maxHandoffs ?? DEFAULT_MAX_HANDOFFS),
    toolConcurrency: toolConcurrency(options.toolConcurrency),
    hooks: options.hooks ?? [],
    watch: Watch.of(checkedObserver(options.observer), ports.logger),
    aborted: abortSignal(options.signal),
    lease: leaseTiming(options.lease),
    businessState: options.businessState,
    principal: options.principal,
    metadata: options.metadata,
    ifAbsent: ifAbsent(options),
    onAgentDrift: onAgentDrift(options.onAgentDrift),
    subagents: options.subagents,
    ports,
  };
}

function ifAbsent({ ifAbsent = false, sessionId }: ExecuteOptions): boolean {
  if (typeof ifAbsent !== 'boolean') throw expected('ifAbsent', 'a boolean', ifAbsent);
  if (ifAbsent && sessionId === undefined)
    throw expected('sessionId', 'the id that `ifAbsent` is about', sessionId);
  return ifAbsent;
}

function toolsOf(options: ExecuteOptions): ReadonlyMap<string, Tool> {
  const { name, tools, handoffs } = options.agent;
  // Checked now where they are known now; those of a function are checked when it has been asked.
  if (typeof handoffs !== 'function') handoffsByTool(name, handoffs);
  const registry = new ToolRegistry(typeof tools === 'function' ? [] : tools);
  registry.registerMany([...(options.toolRegistry?.getAll().values() ?? [])]);
  registry.registerMany(options.subagents?.tools ?? []);
  return registry.getAll();
}

function durableOf(options: ExecuteOptions, assertId: (id: unknown) => void): RunPlan['durable'] {
  const { sessionId, checkpointStore } = options;
  // An id that is given and undefined was meant to be one: a run without it would survive nothing.
  if (!('sessionId' in options)) return undefined;
  assertId(sessionId);
  if (!checkpointStore) throw missing('checkpointStore', 'LOUSHO_CONFIG_MISSING_CHECKPOINT_STORE');
  // What the store would refuse is refused now, before a model is paid for.
  for (const field of ['input', 'businessState', 'principal', 'metadata'] as const) {
    if (options[field] !== undefined) encode(options[field], field);
  }
  return { sessionId: sessionId as string, store: guardCheckpointStore(checkpointStore) };
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
