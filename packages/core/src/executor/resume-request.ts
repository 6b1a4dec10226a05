import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalStore,
  type CheckpointStore,
  ConfigurationError,
} from '../contract/index.js';
import { type LLMProvider, randomIds, systemTimers } from '../ports/index.js';
import type { AgentConfig } from './agent-config.js';
import { type AgentRun, startAgentRun } from './agent-run.js';
import { approvalNotFound } from './approval-errors.js';
import { decideSnapshotRun } from './decide-snapshot-run.js';
import { decideStoredRun } from './decide-stored-run.js';
import type { ExecuteOptions } from './execute-options.js';
import type { Execution } from './execution.js';
import type { ExecutionResult } from './execution-result.js';
import { isClaim } from './go-on-claim.js';
import { checkedApprovalStore } from './option-checks.js';
import { planStored } from './run-plan.js';
import { reported } from './run-report.js';
import { assertDecision, undecidedRecord } from './take-decision.js';
import type { ToolRegistry } from './tool-registry.js';

/** What a resumed run is given beside its record. */
export interface ApprovalResumeOptions
  extends Omit<
    ExecuteOptions,
    'agent' | 'input' | 'provider' | 'toolRegistry' | 'sessionId' | 'checkpointStore' | 'approvalStore'
  > {
  /** The agent as it is today; default: as the snapshot has it. */
  readonly currentAgent?: AgentConfig;
}

/** A decision, and what the run needs to go on. */
export interface ResumeRequest {
  readonly decision: ApprovalDecision;
  readonly approvalStore: ApprovalStore;
  readonly toolRegistry: ToolRegistry;
  readonly provider: LLMProvider;
  readonly options?: ApprovalResumeOptions;
  /** Needed for a run with a session id: without it, the session keeps waiting. */
  readonly checkpointStore?: CheckpointStore | undefined;
  /** The decision's note is the answer to a question: it must not be taken for a yes to a tool. */
  readonly isAnswer?: boolean;
  /** What else has to be done with the result before it is told, such as committing a session's turn. */
  readonly settle?:
    | ((result: ExecutionResult, record: ApprovalRecord) => Promise<ExecutionResult>)
    | undefined;
}

/** Decides an approval and goes on with its run: see `resumeAfterApproval`. */
export async function resumeRequest(request: ResumeRequest): Promise<ExecutionResult> {
  return decide(request, { runId: idsOf(request).next(), emit: () => undefined, streamsText: false });
}

/** The same as a stream of events. */
export function streamResumeRequest(request: ResumeRequest): AgentRun {
  const runId = idsOf(request).next();
  const { timers = systemTimers } = request.options?.ports ?? {};
  return startAgentRun(runId, { timers, ids: idsOf(request) }, (emit, input) =>
    decide(request, { runId, emit, input, streamsText: true }),
  );
}

async function decide(request: ResumeRequest, call: Omit<Execution, 'plan'>): Promise<ExecutionResult> {
  const { decision } = request;
  assertDecision(decision);
  if (!request.approvalStore) {
    throw new ConfigurationError('Expected an approval store, got none', {
      code: 'LOUSHO_APPROVAL_STORE_MISSING',
    });
  }
  const approvals = checkedApprovalStore(request.approvalStore);
  if (isClaim(decision.id)) throw approvalNotFound(decision.id);
  const record = await undecidedRecord(approvals, decision.id);
  if (request.isAnswer && record.approval.kind !== 'question') {
    throw new ConfigurationError(`approval ${decision.id} is no question: decide it with resolve()`, {
      field: 'id',
    });
  }
  const plan = planStored(executeOptions(request, record));
  return reported({ ...call, plan }, async (execution) => {
    const result = plan.durable
      ? await decideStoredRun({ execution, approvals, durable: plan.durable, decision })
      : await decideSnapshotRun(execution, approvals, record, decision);
    return request.settle ? request.settle(result, record) : result;
  });
}

function executeOptions(request: ResumeRequest, { approval, snapshot }: ApprovalRecord): ExecuteOptions {
  const { currentAgent, ...options } = request.options ?? {};
  const sessionId = approval.sessionId ?? snapshot.sessionId;
  const isDurable = sessionId !== undefined && request.checkpointStore !== undefined;
  return {
    ...options,
    agent: currentAgent ?? snapshot.agent ?? { name: 'agent' },
    input: [],
    provider: request.provider,
    toolRegistry: request.toolRegistry,
    approvalStore: request.approvalStore,
    ...(isDurable && { sessionId, checkpointStore: request.checkpointStore }),
  };
}

function idsOf({ options }: ResumeRequest) {
  return options?.ports?.ids ?? randomIds;
}
