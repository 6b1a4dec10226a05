import {
  type ApprovalDecision,
  type ApprovalStore,
  type Checkpoint,
  type PausedCall,
  statusOf,
} from '../contract/index.js';
import { undecidedCalls } from '../run/run-state.js';

/**
 * A paused record with the decisions that were given since it was saved. When the last one is among them the run is in progress again,
 * also if the process that took it died before it could say so.
 */
export async function withDecisions(
  approvals: ApprovalStore | undefined,
  stored: Checkpoint,
): Promise<Checkpoint> {
  if (statusOf(stored) !== 'awaiting-approval' || !approvals) return stored;
  const pausedCalls = await decidedCalls(approvals, await pausedCallsOf(approvals, stored));
  const undecided = undecidedCalls({ pausedCalls });
  const { approvalId: _id, approvalIds: _ids, approvalKind: _kind, ...rest } = stored;
  const [first] = undecided;
  // A pause that names no call cannot be decided; it stays as it is.
  if (pausedCalls.length === 0) return stored;
  if (!first) return { ...rest, pausedCalls, status: 'in-progress' };
  return {
    ...rest,
    pausedCalls,
    approvalId: first.approvalId,
    approvalIds: undecided.map((call) => call.approvalId),
    ...(first.kind && { approvalKind: first.kind }),
  };
}

/**
 * The paused calls with what their approvals say by now. A detached decision was carried out apart from the session's record: for
 * the record it does not count, so that nothing runs a second time.
 */
export async function decidedCalls(
  approvals: ApprovalStore,
  pausedCalls: readonly PausedCall[],
  { isDetached = false }: { readonly isDetached?: boolean } = {},
): Promise<readonly PausedCall[]> {
  return Promise.all(
    pausedCalls.map(async (call) => {
      const decision = call.decision ?? (await decisionOf(approvals, call.approvalId));
      return decision && (isDetached || !decision.isDetached) ? { ...call, decision } : call;
    }),
  );
}

/** The calls that a paused record waits on; an older record names only one approval. */
export async function pausedCallsOf(
  approvals: ApprovalStore,
  stored: Checkpoint,
): Promise<readonly PausedCall[]> {
  if (stored.pausedCalls?.length) return stored.pausedCalls;
  if (stored.approvalId === undefined) return [];
  const record = await approvals.load(stored.approvalId);
  return record ? [{ approvalId: stored.approvalId, toolCallId: record.approval.toolCallId }] : [];
}

async function decisionOf(approvals: ApprovalStore, id: string): Promise<ApprovalDecision | undefined> {
  return (await approvals.load(id))?.decision;
}
