import { type ApprovalStore, isoTime, type PausedCall, type PendingApproval } from '../contract/index.js';
import { snapshotOf } from '../run/snapshot.js';
import type { GatedCall } from './prepare-call.js';
import type { RunContext } from './run-context.js';

/**
 * Asks a person about calls: one record each, then the run's checkpoint that waits on them, then the events. Whoever sees an event
 * finds a durable record, and a checkpoint never names a record that is not there.
 */
export async function pauseRun(context: RunContext, gatedCalls: readonly GatedCall[]): Promise<void> {
  const approvals = context.approvals as ApprovalStore;
  const asked = gatedCalls.map((gated) => ({ gated, approval: pendingApproval(context, gated) }));
  const pausedCalls = asked.map(
    ({ gated, approval }): PausedCall => ({
      approvalId: approval.id,
      toolCallId: approval.toolCallId,
      pinnedArgs: gated.pinned,
      ...(approval.kind && { kind: approval.kind }),
    }),
  );
  const [first] = pausedCalls;
  if (first) await context.turn?.beforePause(first.approvalId);
  try {
    for (const { gated, approval } of asked) {
      const paused = { ...context.recorder.state, pausedCalls };
      await approvals.save(approval, snapshotOf(paused, context.agent, gated.call));
    }
    context.input?.close();
    await context.recorder.record({ kind: 'paused', pausedCalls });
  } catch (error) {
    await withdraw(context, approvals, pausedCalls);
    throw error;
  }
  for (const { approval } of asked) emitRequested(context, approval);
}

function pendingApproval(context: RunContext, { call, tool, args }: GatedCall): PendingApproval {
  const { state } = context.recorder;
  const now = context.timers.now();
  const { approvalTtlMs } = context;
  return {
    id: context.ids.next(),
    toolCallId: call.id,
    toolName: tool.name,
    args,
    createdAt: isoTime(now),
    runId: state.runId,
    ...(state.agentId !== undefined && { agentId: state.agentId }),
    ...(state.sessionId !== undefined && { sessionId: state.sessionId }),
    ...(state.principal !== undefined && { principal: state.principal }),
    ...(approvalTtlMs !== undefined && { expiresAt: isoTime(now + approvalTtlMs) }),
    ...(tool.asks && { kind: tool.asks, question: questionOf(args) }),
  };
}

function questionOf(args: unknown): NonNullable<PendingApproval['question']> {
  const { question, options, allowFreeText } = args as {
    question: string;
    options?: readonly string[];
    allowFreeText?: boolean;
  };
  return {
    text: question,
    ...(options && { options }),
    ...(allowFreeText !== undefined && { allowFreeText }),
  };
}

/**
 * Best effort: a record that stays is withdrawn when the run is resumed, or found orphaned when somebody decides it. Not where the
 * checkpoint has arrived although its save failed: it must not name records that are not there.
 */
async function withdraw(
  context: RunContext,
  approvals: ApprovalStore,
  pausedCalls: readonly PausedCall[],
): Promise<void> {
  try {
    if (await hasArrived(context, pausedCalls)) return;
    for (const paused of pausedCalls) await approvals.delete(paused.approvalId);
  } catch (error) {
    context.logger.warn('lousho: approvals of a run that could not pause were left behind', error);
  }
}

async function hasArrived({ recorder }: RunContext, pausedCalls: readonly PausedCall[]): Promise<boolean> {
  const { target, state } = recorder;
  const stored = target && state.sessionId !== undefined ? await target.store.load(state.sessionId) : null;
  return pausedCalls.some(({ approvalId }) => stored?.approvalIds?.includes(approvalId));
}

function emitRequested(context: RunContext, approval: PendingApproval): void {
  const { id, toolCallId, toolName, args, kind, question, expiresAt } = approval;
  context.emit({
    type: 'approval.requested',
    approvalId: id,
    toolCallId,
    toolName,
    args,
    ...(kind && { kind }),
    ...(question && { question }),
    ...(expiresAt !== undefined && { expiresAt }),
  });
}
