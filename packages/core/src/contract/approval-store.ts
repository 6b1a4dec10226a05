import type { ApprovalDecision } from './approval-decision.js';
import type { Checkpoint } from './checkpoint.js';
import type { Message, ToolCall } from './messages.js';

/** A decision that a person owes, as shown to them. */
export interface PendingApproval {
  readonly id: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** The validated arguments, pinned: the call runs with exactly these. */
  readonly args: unknown;
  readonly agentId?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  /** ISO instant. */
  readonly createdAt: string;
  /** ISO instant; a decision that arrives later counts as a refusal. */
  readonly expiresAt?: string;
  /** Absent for a tool. */
  readonly kind?: 'question';
  readonly question?: {
    readonly text: string;
    readonly options?: readonly string[];
    readonly allowFreeText?: boolean;
  };
  /** Outermost first. */
  readonly subagentPath?: readonly string[];
  readonly principal?: unknown;
}

/** Who asked, as the snapshot keeps it: enough to go on in a process that has only the tools and the provider. */
export interface SnapshotAgent {
  readonly name: string;
  readonly id?: string;
  readonly prompt?: string;
  readonly model?: string;
  readonly maxSteps?: number;
}

/** A sub-agent that waits for a person, frozen with the run that it works for. */
export interface SubagentSuspension {
  /** The lead's call that the sub-agent works for. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
  /** Names the task within the lead's session. */
  readonly taskId: string;
  readonly agentName: string;
  readonly snapshot: ExecutionSnapshot;
}

/**
 * The paused run as it stood when it asked, frozen with the approval. A run with a checkpoint goes on from that; one without goes
 * on from here.
 */
export interface ExecutionSnapshot {
  readonly agent?: SnapshotAgent;
  readonly sessionId?: string;
  readonly runId?: string;
  /** Input that the model has not seen yet stands at the end. */
  readonly currentMessages?: readonly Message[];
  readonly pendingToolCall?: ToolCall;
  /** The other calls of the turn that have no result. Absent in older records: then they do not run. */
  readonly remainingToolCalls?: readonly ToolCall[];
  /** The sub-agent that asked, where it was one. */
  readonly subagent?: SubagentSuspension;
  /** The run's record without its messages. Absent in older records, which have `steps` and `usage` instead. */
  readonly run?: Omit<Checkpoint, 'messages'>;
  readonly [extra: string]: unknown;
}

export interface ApprovalRecord {
  readonly approval: PendingApproval;
  readonly snapshot: ExecutionSnapshot;
  /** Present once decided. It stays readable until the run has moved past it. */
  readonly decision?: ApprovalDecision;
}

/** Where approvals are kept. An unknown or malformed id is never an error of a read. */
export interface ApprovalStore {
  /** Stores an undecided approval durably. An id is saved once: saving it again replaces it only while it is undecided. */
  save(approval: PendingApproval, snapshot: ExecutionSnapshot): Promise<void>;
  load(id: string): Promise<ApprovalRecord | null>;
  /** The undecided ones, oldest first by `createdAt`, then by id. */
  list(): Promise<readonly PendingApproval[]>;
  /** The ids of all that are kept, decided or not, in code-point order. */
  ids?(): Promise<readonly string[]>;
  /** Compare-and-set: of any number of concurrent deciders exactly one is answered `decided`. */
  decide(id: string, decision: ApprovalDecision): Promise<'decided' | 'already-decided' | 'not-found'>;
  /** Succeeds for an unknown id. */
  delete(id: string): Promise<void>;
}
