import type { Checkpoint, DelegatedSpend, PausedCall, RunUsage } from '../contract/index.js';
import { checkpointOf } from './checkpoint-of.js';
import { hasEnded } from './ended.js';
import { type RunState, standingStatus } from './run-state.js';
import { addDelegated } from './usage.js';

/** How far a sub-agent has come. */
export interface DelegationFact {
  readonly taskId: string;
  /** Of the sub-agent's run. */
  readonly runId: string;
  /** Everything that it has spent. */
  readonly usage: RunUsage;
  /** The sub-agent's run, where it is kept with the lead's. */
  readonly kept?: Checkpoint;
}

/** A task that is over. */
export interface EndedTask {
  readonly taskId: string;
  /** What its last run spent; left out where nothing is known beyond what was noted. */
  readonly spend?: DelegatedSpend;
}

/** Another run under the same task means that a crash has cut the former one off: what it spent stays spent. */
export function noteDelegation(state: RunState, { taskId, runId, usage, kept }: DelegationFact): RunState {
  const before = state.delegatedInFlight?.[taskId];
  const counted = before && before.runId !== runId ? settleDelegation(state, taskId) : state;
  return {
    ...counted,
    delegatedInFlight: { ...counted.delegatedInFlight, [taskId]: { runId, usage } },
    subagents: kept ? { ...counted.subagents, [taskId]: kept } : counted.subagents,
  };
}

/** What the task spent is a part of the run's totals now. */
export function endDelegation(state: RunState, { taskId, spend }: EndedTask): RunState {
  return settleDelegation(spend ? noteDelegation(state, { taskId, ...spend }) : state, taskId);
}

function settleDelegation(state: RunState, taskId: string): RunState {
  const spend = state.delegatedInFlight?.[taskId];
  return {
    ...state,
    usage: spend ? addDelegated(state.usage, spend.usage) : state.usage,
    delegatedInFlight: without(state.delegatedInFlight, taskId),
    subagents: without(state.subagents, taskId),
  };
}

/** Nothing of the run goes on any more. */
export function settleDelegations(state: RunState): RunState {
  const taskIds = Object.keys({ ...state.delegatedInFlight, ...state.subagents });
  return taskIds.reduce(settleDelegation, state);
}

/** Everything that a run has spent, also through sub-agents that have not settled. */
export function spentBy(state: RunState): RunUsage {
  return settleDelegations(state).usage;
}

/** A sub-agent's run as its lead keeps it. */
export function keptRun(state: RunState): Checkpoint {
  const { revision: _, ...kept } = checkpointOf(state, { revision: 1, status: standingStatus(state) });
  return kept;
}

/**
 * A sub-agent's record with what was decided in its lead's name. A question that the lead does not know was never asked: its process died
 * on the way, so it is asked again.
 */
export function withLeadsDecisions(stored: Checkpoint, leadsCalls: readonly PausedCall[]): Checkpoint {
  if (!stored.pausedCalls || hasEnded(stored)) return stored;
  const { approvalId: _id, approvalIds: _ids, approvalKind: _kind, ...rest } = stored;
  const pausedCalls = stored.pausedCalls.flatMap((call) => {
    const decision =
      call.decision ?? leadsCalls.find(({ approvalId }) => approvalId === call.approvalId)?.decision;
    return decision ? [{ ...call, decision }] : [];
  });
  return { ...rest, pausedCalls, status: 'in-progress' };
}

function without<T>(entries: Readonly<Record<string, T>> | undefined, key: string) {
  const { [key]: _, ...rest } = entries ?? {};
  return Object.keys(rest).length > 0 ? rest : undefined;
}
