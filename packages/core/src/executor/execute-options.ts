import type { ApprovalStore, CheckpointStore } from '../contract/index.js';
import type { AgentHook, Ids, LLMProvider, Logger, Observer, Timers } from '../ports/index.js';
import type { AgentConfig } from './agent-config.js';
import type { LeaseTiming } from './lease-keeper.js';
import type { RunInput } from './run-input.js';
import type { Delegates } from './subagents/delegates.js';
import type { ToolRegistry } from './tool-registry.js';

/** Time, ids and warnings, for tests and special runtimes. */
export interface RunPorts {
  readonly timers: Timers;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** What becomes of a run whose agent has changed since it began. */
export type OnAgentDrift = 'warn' | 'error' | 'ignore';

export interface ExecuteOptions {
  readonly agent: AgentConfig;
  readonly input: RunInput;
  readonly provider: LLMProvider;
  /** Further tools beside `agent.tools`. */
  readonly toolRegistry?: ToolRegistry;
  /** With a `checkpointStore`, makes the run durable under this id. */
  readonly sessionId?: string;
  readonly checkpointStore?: CheckpointStore;
  /**
   * Runs the input once per session id: with a run that has finished, its result comes back and nothing runs; one that is unfinished is
   * resumed, and one that waits for a person resolves as it waits. For deliveries that may come twice.
   */
  readonly ifAbsent?: boolean;
  /** Where calls that need approval ask. */
  readonly approvalStore?: ApprovalStore;
  /** How long an approval may be given, in milliseconds. Default: it does not expire. */
  readonly approvalTtlMs?: number;
  /** Overrides the agent's for the run that this call starts, or resumes; kept with the run. */
  readonly maxSteps?: number;
  /** How often a run may be handed over; counted from zero again when it is resumed. Default 5. */
  readonly maxHandoffs?: number;
  /** Tool calls of one turn at a time. Default `'unbounded'`. */
  readonly toolConcurrency?: number | 'unbounded';
  readonly hooks?: readonly AgentHook[];
  /** Watches what happens, for telemetry. What it throws is said once through the logger, and no run fails of it. */
  readonly observer?: Observer;
  /** Aborting resolves the run with `finishReason: 'aborted'`; a durable one can be resumed. */
  readonly signal?: AbortSignal;
  readonly lease?: LeaseTiming;
  /** Kept with the checkpoint as it is. Leaving it out keeps what is stored, `null` clears it. */
  readonly businessState?: unknown;
  /** On whose behalf the run acts. A stored run is resumed only for the same one. */
  readonly principal?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Default `'warn'`: a warning, an `agent.drift` event, and the run goes on. `'error'` rejects with `LOUSHO_AGENT_DRIFT`. */
  readonly onAgentDrift?: OnAgentDrift;
  /** Agents that the model may ask, made by `subagents()`. */
  readonly subagents?: Delegates;
  readonly ports?: Partial<RunPorts>;
}
