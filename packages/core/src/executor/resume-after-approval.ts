import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalStore,
  type CheckpointStore,
  ConfigurationError,
} from '../contract/index.js';
import { type LLMProvider, randomIds, systemTimers } from '../ports/index.js';
import { type AgentRun, startAgentRun } from './agent-run.js';
import { approvalNotFound } from './approval-errors.js';
import { decideSnapshotRun } from './decide-snapshot-run.js';
import { decideStoredRun } from './decide-stored-run.js';
import type { Emit } from './events.js';
import type { AgentConfig, ExecuteOptions } from './execute-options.js';
import type { ExecutionResult } from './execution-result.js';
import { isClaim } from './go-on-claim.js';
import { checkedApprovalStore } from './option-checks.js';
import { planRun } from './run-plan.js';
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
}

/**
 * Decides an approval, once, and goes on with its run when nothing of its pause is left to decide: refused calls get their result,
 * approved ones run at most once, then the model is asked. Resolves with `finishReason: 'awaiting-approval'` while other calls wait.
 * Rejects with `LOUSHO_APPROVAL_NOT_FOUND` (unknown, or decided before), `LOUSHO_APPROVAL_ORPHANED` (the run is gone or went on),
 * `LOUSHO_SESSION_BUSY` or `LOUSHO_RESUME_TOOL_MISSING` (the approval is still pending).
 */
export async function resumeAfterApproval(
  decision: ApprovalDecision,
  approvalStore: ApprovalStore,
  toolRegistry: ToolRegistry,
  provider: LLMProvider,
  options?: ApprovalResumeOptions,
  checkpointStore?: CheckpointStore,
): Promise<ExecutionResult> {
  const request = {
    decision,
    approvalStore,
    toolRegistry,
    provider,
    options: options ?? {},
    checkpointStore,
  };
  return resumeRequest(request, idsOf(request).next(), () => undefined, false);
}

/** The same as a stream of events. */
export function streamResumeAfterApproval(
  decision: ApprovalDecision,
  approvalStore: ApprovalStore,
  toolRegistry: ToolRegistry,
  provider: LLMProvider,
  options?: ApprovalResumeOptions,
  checkpointStore?: CheckpointStore,
): AgentRun {
  const request = {
    decision,
    approvalStore,
    toolRegistry,
    provider,
    options: options ?? {},
    checkpointStore,
  };
  const runId = idsOf(request).next();
  return startAgentRun(runId, options?.ports?.timers ?? systemTimers, (emit) =>
    resumeRequest(request, runId, emit, true),
  );
}

async function resumeRequest(
  request: ResumeRequest,
  runId: string,
  emit: Emit,
  streamsText: boolean,
): Promise<ExecutionResult> {
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
  const plan = planRun(executeOptions(request, record));
  const result = await reported({ plan, runId, emit, streamsText }, (execution) =>
    plan.durable
      ? decideStoredRun({ execution, approvals, durable: plan.durable, decision })
      : decideSnapshotRun(execution, approvals, record, decision),
  );
  return result as ExecutionResult;
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
