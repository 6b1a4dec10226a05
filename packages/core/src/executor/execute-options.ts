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
  type Ids,
  type LLMProvider,
  type Logger,
  randomIds,
  systemTimers,
  type Timers,
  type Tool,
} from '../ports/index.js';
import { type LeaseTiming, leaseTiming } from './lease-keeper.js';
import { inputMessages, type RunInput } from './run-input.js';
import { ToolRegistry } from './tool-registry.js';

/** Who runs: its instructions, its model, its tools. */
export interface AgentConfig {
  readonly name: string;
  readonly id?: string;
  /** The system prompt of a new session. A stored session keeps its own. */
  readonly prompt?: string;
  readonly model?: string;
  readonly tools?: readonly Tool[];
  /** Model calls that a run may make, over all its resumes. Default 10. */
  readonly maxSteps?: number;
}

/** Time, ids and warnings, for tests and special runtimes. */
export interface RunPorts {
  readonly timers: Timers;
  readonly ids: Ids;
  readonly logger: Logger;
}

export interface ExecuteOptions {
  readonly agent: AgentConfig;
  readonly input: RunInput;
  readonly provider: LLMProvider;
  /** Further tools beside `agent.tools`. */
  readonly toolRegistry?: ToolRegistry;
  /** With a `checkpointStore`, makes the run durable under this id. */
  readonly sessionId?: string;
  readonly checkpointStore?: CheckpointStore;
  /** Where calls that need approval ask. */
  readonly approvalStore?: ApprovalStore;
  /** How long an approval may be given, in milliseconds. Default: it does not expire. */
  readonly approvalTtlMs?: number;
  /** Overrides the agent's for the run that this call starts, or resumes; kept with the run. */
  readonly maxSteps?: number;
  /** Tool calls of one turn at a time. Default `'unbounded'`. */
  readonly toolConcurrency?: number | 'unbounded';
  readonly hooks?: readonly AgentHook[];
  /** Aborting resolves the run with `finishReason: 'aborted'`; a durable one can be resumed. */
  readonly signal?: AbortSignal;
  readonly lease?: LeaseTiming;
  /** Kept with the checkpoint as it is. Leaving it out keeps what is stored, `null` clears it. */
  readonly businessState?: unknown;
  /** On whose behalf the run acts. A stored run is resumed only for the same one. */
  readonly principal?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly ports?: Partial<RunPorts>;
}

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

/** Passed over in silence, a misspelt option (a `sessionID`, say) would be missed only in production. */
export function assertKnownOptions(call: string, options: object, known: readonly string[]): void {
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) throw expected(call, `one of the options ${known.join(', ')}`, option);
  }
}

/** The caller's signal; without one, a signal that never fires. */
export function abortSignal(value: unknown): AbortSignal {
  if (value === undefined) return new AbortController().signal;
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return value as AbortSignal;
  throw expected('signal', 'an AbortSignal', value);
}

/** `'unbounded'` (the default) or a positive integer. */
export function toolConcurrency(value: unknown): number {
  if (value === undefined || value === 'unbounded') return Number.POSITIVE_INFINITY;
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    throw expected('toolConcurrency', "a positive integer or 'unbounded'", value);
  }
  return value as number;
}

/** Refuses what lacks a method of an approval store. */
export function checkedApprovalStore(store: ApprovalStore): ApprovalStore {
  for (const method of ['save', 'load', 'list', 'decide', 'delete'] as const) {
    if (typeof store[method] !== 'function')
      throw expected(`approvals.${method}`, 'a function', store[method]);
  }
  return store;
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
