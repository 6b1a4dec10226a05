import type {
  Checkpoint,
  ExecutionSnapshot,
  PendingApproval,
  SnapshotAgent,
  SubagentSuspension,
  ToolCall,
} from '../contract/index.js';
import { checkpointOf } from './checkpoint-of.js';
import type { RunState } from './run-state.js';
import { openCalls } from './transcript.js';

/** A paused run, frozen with the approval of one of its calls, or of one that a sub-agent of its made. */
export function snapshotOf(
  state: RunState,
  agent: SnapshotAgent,
  pendingToolCall: ToolCall,
  subagent?: SubagentSuspension,
): ExecutionSnapshot {
  const frozen = subagent ? withoutKept(state, subagent.taskId) : state;
  const {
    messages,
    revision: _,
    ...run
  } = checkpointOf(frozen, {
    revision: 1,
    status: 'awaiting-approval',
  });
  const open = openCalls(state.messages, state.settledResults);
  return {
    agent,
    ...(state.sessionId !== undefined && { sessionId: state.sessionId }),
    runId: state.runId,
    currentMessages: messages,
    pendingToolCall,
    remainingToolCalls: open.filter((call) => call.id !== pendingToolCall.id),
    ...(subagent && { subagent }),
    run,
  };
}

/** The sub-agent's run stands in its own snapshot. */
function withoutKept(state: RunState, taskId: string): RunState {
  const { [taskId]: _, ...others } = state.subagents ?? {};
  return { ...state, subagents: Object.keys(others).length > 0 ? others : undefined };
}

/** The record of a run that is kept nowhere but in its snapshot. Older snapshots hold its parts under other names. */
export function checkpointFromSnapshot(approval: PendingApproval, snapshot: ExecutionSnapshot): Checkpoint {
  const older = snapshot as { steps?: number; usage?: Checkpoint['usage'] };
  const run: Omit<Checkpoint, 'messages' | 'sessionId'> = snapshot.run ?? {
    stepIndex: older.steps ?? 0,
    ...(older.usage && { usage: older.usage }),
  };
  const { subagent } = snapshot;
  return {
    pausedCalls: [{ approvalId: approval.id, toolCallId: approval.toolCallId }],
    ...run,
    ...(subagent && {
      subagents: { ...run.subagents, [subagent.taskId]: checkpointFromSnapshot(approval, subagent.snapshot) },
    }),
    sessionId: snapshot.sessionId ?? '',
    status: 'awaiting-approval',
    messages: snapshot.currentMessages ?? [],
  };
}

/** Whether the other calls of the turn go on after the decision; records from before `remainingToolCalls` end them. */
export function keepsRemainingCalls(snapshot: ExecutionSnapshot): boolean {
  return snapshot.remainingToolCalls !== undefined;
}
