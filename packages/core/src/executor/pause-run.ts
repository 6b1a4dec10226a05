import { type ApprovalStore, isoTime, type PausedCall, type PendingApproval } from '../contract/index.js';
import { snapshotOf } from '../run/snapshot.js';
import type { GatedCall } from './prepare-call.js';
import type { RunContext } from './run-context.js';
import type { AskedCall, SubagentQuestion } from './subagents/delegates.js';

/** What a person has to be asked: about a call of the run itself, or about one of a sub-agent. */
export type Question = GatedCall | SubagentQuestion;

/** A question with its name. */
type Asked = Omit<SubagentQuestion, 'path' | 'suspension'> &
  Partial<Pick<SubagentQuestion, 'path' | 'suspension'>> & { readonly pinned?: string };

/**
 * Asks a person about calls: one record each, then the run's checkpoint that waits on them, then the events. Whoever sees an event
 * finds a durable record, and a checkpoint never names a record that is not there. A sub-agent asks through its lead: its own record says
 * what it waits on, and the lead does the rest.
 */
export async function pauseRun(context: RunContext, questions: readonly Question[]): Promise<void> {
  const asked = questions.map((question) => named(context, question));
  const pausedCalls = asked.map(pausedCall);
  if (context.delegation) return handOver(context, asked, pausedCalls);
  const approvals = context.approvals as ApprovalStore;
  const records = asked.map((one) => ({ ...one, approval: pendingApproval(context, one) }));
  const [first] = pausedCalls;
  if (first) await context.turn?.beforePause(first.approvalId);
  try {
    const paused = { ...context.recorder.state, pausedCalls };
    for (const { approval, call, suspension } of records) {
      await approvals.save(approval, snapshotOf(paused, context.agent, call, suspension));
    }
    context.input?.close();
    await context.recorder.record({ kind: 'paused', pausedCalls });
  } catch (error) {
    await withdraw(context, approvals, pausedCalls);
    throw error;
  }
  for (const { approval } of records) emitRequested(context, approval);
}

async function handOver(
  context: RunContext,
  asked: readonly Asked[],
  pausedCalls: readonly PausedCall[],
): Promise<void> {
  await context.recorder.record({ kind: 'paused', pausedCalls });
  const { state } = context.recorder;
  context.delegation?.suspend(
    asked.map(({ approvalId, asked, path = [], call, suspension }) => ({
      approvalId,
      asked,
      path,
      snapshot: snapshotOf(state, context.agent, call, suspension),
    })),
  );
}

/** A sub-agent's question has its name already: its own record waits on it. */
function named(context: RunContext, question: Question): Asked {
  if ('approvalId' in question) return question;
  const { call, tool, args, pinned } = question;
  const asked: AskedCall = {
    toolCallId: call.id,
    toolName: tool.name,
    args,
    ...(tool.asks && { kind: tool.asks, question: questionOf(args) }),
  };
  return { call, approvalId: context.ids.next(), asked, pinned };
}

function pausedCall({ approvalId, call, asked, pinned, path }: Asked): PausedCall {
  return {
    approvalId,
    toolCallId: call.id,
    ...(pinned !== undefined && { pinnedArgs: pinned }),
    ...(path && { subagentPath: path }),
    ...(asked.kind && { kind: asked.kind }),
  };
}

function pendingApproval(context: RunContext, { approvalId, asked, path }: Asked): PendingApproval {
  const { state } = context.recorder;
  const now = context.timers.now();
  const { approvalTtlMs } = context;
  const { toolCallId, toolName, args, kind, question } = asked;
  return {
    id: approvalId,
    toolCallId,
    toolName,
    args,
    createdAt: isoTime(now),
    runId: state.runId,
    ...(path && { subagentPath: path }),
    ...(state.agentId !== undefined && { agentId: state.agentId }),
    ...(state.sessionId !== undefined && { sessionId: state.sessionId }),
    ...(state.principal !== undefined && { principal: state.principal }),
    ...(approvalTtlMs !== undefined && { expiresAt: isoTime(now + approvalTtlMs) }),
    ...(kind && { kind }),
    ...(question && { question }),
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
  const { id, toolCallId, toolName, args, kind, question, expiresAt, subagentPath } = approval;
  context.emit({
    type: 'approval.requested',
    approvalId: id,
    toolCallId,
    toolName,
    args,
    ...(kind && { kind }),
    ...(question && { question }),
    ...(subagentPath && { subagentPath }),
    ...(expiresAt !== undefined && { expiresAt }),
  });
}
