import type { ApprovalDecision, ApprovalStore, CheckpointStore } from '../contract/index.js';
import type { LLMProvider } from '../ports/index.js';
import type { AgentRun } from './agent-run.js';
import type { ExecutionResult } from './execution-result.js';
import { type ApprovalResumeOptions, resumeRequest, streamResumeRequest } from './resume-request.js';
import type { ToolRegistry } from './tool-registry.js';

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
  return resumeRequest({
    decision,
    approvalStore,
    toolRegistry,
    provider,
    options: options ?? {},
    checkpointStore,
  });
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
  return streamResumeRequest({
    decision,
    approvalStore,
    toolRegistry,
    provider,
    options: options ?? {},
    checkpointStore,
  });
}
