import type {
  ApprovalStore,
  Checkpoint,
  CheckpointStore,
  ExecutionSnapshot,
  PendingApproval,
  SubagentSuspension,
  TaskOrigin,
  ToolCall,
} from '../../contract/index.js';
import type { AgentHook, Ids, Logger, Timers, Tool } from '../../ports/index.js';
import type { Fact } from '../../run/apply.js';
import type { EndedTask } from '../../run/delegation.js';
import type { RunState } from '../../run/run-state.js';
import type { Emit, RunEventBody } from '../events.js';
import type { RunLease } from '../held-lease.js';
import type { LeaseTiming } from '../lease-keeper.js';
import type { Recorder } from '../recorder.js';
import type { Watch } from '../watch.js';

/** The agents that a lead may ask. Made once for an agent, whatever number of runs it has. */
export interface Delegates {
  /** The built-in tools by which the model asks them. */
  readonly tools: readonly Tool[];
  /** The tasks of one run of the lead. */
  begin(scope: LeadScope): Tasks;
  /**
   * Compares the sub-agents that a stored run waits for with what they are today, before anything runs: what changed, to tell. Rejects
   * with `LOUSHO_RESUME_TOOL_MISSING`, and under `'error'` with `LOUSHO_AGENT_DRIFT`.
   */
  check(scope: CheckScope, stored: Checkpoint): Promise<readonly RunEventBody[]>;
}

/** The tasks of one run. */
export interface Tasks {
  /** Carries out a call of one of the tools; `undefined` for a call of any other. */
  call(lead: LeadRun, call: ToolCall, args: unknown): Promise<TaskOutcome> | undefined;
  /** The result of a task is saved, or its call was cancelled: nothing of it is needed any more. */
  forget(lead: LeadRun, taskIds: readonly string[]): Promise<void>;
  /** The run is about to finish: tasks beside it are waited for, or end. */
  finish(lead: LeadRun): Promise<void>;
  /** The run has stopped in this process: so does everything that runs for it. */
  close(): Promise<void>;
  /** The tasks that ran beside the run, as they stand. */
  inBackground(): readonly BackgroundTask[];
}

/** What a call of one of the tools came to. `task`: the one that is over with it. */
export type TaskOutcome =
  | { readonly kind: 'answered'; readonly value: unknown; readonly task?: EndedTask }
  /** What was thrown is for the model to see. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly task?: EndedTask }
  | { readonly kind: 'suspended'; readonly questions: readonly SubagentQuestion[] };

/** A call that a person is asked about, as they are shown it. */
export type AskedCall = Pick<PendingApproval, 'toolCallId' | 'toolName' | 'args' | 'kind' | 'question'>;

/** A question of a sub-agent, put by the run that it works for. */
export interface SubagentQuestion {
  /** The run's own call that waits for the sub-agent. */
  readonly call: ToolCall;
  readonly approvalId: string;
  readonly asked: AskedCall;
  /** From the run's own sub-agent inwards. */
  readonly path: readonly string[];
  readonly suspension: SubagentSuspension;
}

/** A question on its way from a sub-agent to its lead. */
export interface HandedQuestion {
  readonly approvalId: string;
  readonly asked: AskedCall;
  /** The sub-agents below the one that hands it over. */
  readonly path: readonly string[];
  /** Of the one that hands it over. */
  readonly snapshot: ExecutionSnapshot;
}

/** What a sub-agent's run owes to its lead's. */
export interface Delegation {
  readonly origin: TaskOrigin;
  /** Down to this sub-agent, outermost first. */
  readonly path: readonly string[];
  readonly maxDepth: number;
  /** The lead's, without which nothing starts. */
  readonly lease: RunLease | undefined;
  /** The record as it stands after what was decided in the lead's name. */
  decided(stored: Checkpoint): Checkpoint;
  /** Tells the lead of each fact, behind the sub-agent's own record of it. */
  recorded(state: RunState, fact: Fact): Promise<void>;
  /** The sub-agent stands until a person has answered its lead. */
  suspend(questions: readonly HandedQuestion[]): void;
}

/** What of a lead's plan holds for its sub-agents. */
export interface LeadScope {
  readonly lease: Required<LeaseTiming>;
  readonly onAgentDrift: 'warn' | 'error' | 'ignore';
  /** Down to the lead, which may be a sub-agent itself. */
  readonly path: readonly string[];
  /** The outermost lead's; absent for itself. */
  readonly maxDepth?: number;
}

export interface CheckScope {
  readonly onAgentDrift: LeadScope['onAgentDrift'];
  readonly logger: Logger;
  /** Where durable sub-agents have their records. */
  readonly store: CheckpointStore | undefined;
  readonly path: readonly string[];
}

/** A running lead, as its sub-agents need it: a part of its `RunContext`. */
export interface LeadRun {
  readonly recorder: Recorder;
  readonly hooks: readonly AgentHook[];
  readonly toolConcurrency: number;
  readonly streamsText: boolean;
  readonly approvals: ApprovalStore | undefined;
  readonly lease: RunLease | undefined;
  readonly stop: AbortSignal;
  readonly emit: Emit;
  /** At the call that the sub-agent works for. */
  readonly watch: Watch | undefined;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** A task that ran beside its lead. */
export interface BackgroundTask {
  readonly taskId: string;
  readonly agentName: string;
  readonly description: string;
  readonly status: 'running' | 'awaiting-approval' | 'finished' | 'failed' | 'cancelled';
  /** What a finished one answered, or why one failed. */
  readonly text?: string;
}
