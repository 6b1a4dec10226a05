import { SessionBusyError, type SnapshotAgent } from '../contract/index.js';
import { lastErrorOf } from '../run/last-error.js';
import type { RunState } from '../run/run-state.js';
import type { Cast } from './cast.js';
import type { RunEventBody } from './events.js';
import type { Execution } from './execution.js';
import { type ExecutionResult, executionResult } from './execution-result.js';
import type { RunLease } from './held-lease.js';
import { linkSignals } from './linked-signal.js';
import { Recorder, type RecordTarget } from './recorder.js';
import { runLoop } from './run-loop.js';
import type { RunPlan } from './run-plan.js';
import { delegatedLease } from './subagents/delegated-lease.js';

/** How a state comes to be run. */
export interface Beginning {
  /** Absent for a run that is not durable. */
  readonly target?: RecordTarget | undefined;
  readonly isResumed?: boolean;
  /** What has changed since the run began, to tell. */
  readonly drift?: readonly RunEventBody[];
}

/** Runs an admitted state to its end, and leaves the error of a failed attempt on its record. */
export async function runAdmitted(
  execution: Execution,
  cast: Cast,
  state: RunState,
  { target, isResumed, drift }: Beginning,
): Promise<ExecutionResult> {
  const { plan, emit, streamsText, delegation } = execution;
  const stop = linkSignals([plan.aborted, target?.lease.lost]);
  const recorder = new Recorder(state, target, delegation?.recorded);
  const tasks = plan.subagents?.begin({
    lease: plan.lease,
    onAgentDrift: plan.onAgentDrift,
    path: delegation?.path ?? [],
    ...(delegation && { maxDepth: delegation.maxDepth }),
  });
  emit({
    type: 'run.start',
    agentName: cast.current.name,
    ...(cast.current.id !== undefined && { agentId: cast.current.id }),
    ...(isResumed && { resumed: true }),
  });
  for (const event of drift ?? []) emit(event);
  execution.input?.begin({ recorder, stop: stop.signal, emit });
  try {
    const reason = await runLoop({
      cast,
      hooks: plan.hooks,
      toolConcurrency: plan.toolConcurrency,
      streamsText,
      approvals: plan.approvals,
      approvalTtlMs: plan.approvalTtlMs,
      agent: snapshotAgent(plan, cast),
      recorder,
      lease: delegatedLease(target?.lease, delegation?.lease),
      input: execution.input,
      turn: execution.turn,
      delegation,
      tasks,
      aborted: plan.aborted,
      stop: stop.signal,
      emit,
      timers: plan.ports.timers,
      ids: plan.ports.ids,
      logger: plan.ports.logger,
    });
    await tasks?.close();
    const background = tasks?.inBackground() ?? [];
    const result = executionResult(recorder.state, reason, plan.aborted.reason);
    return background.length > 0 ? { ...result, backgroundTasks: background } : result;
  } catch (error) {
    await tasks?.close();
    await recordFailure(plan, recorder, target?.lease, error);
    throw error;
  } finally {
    stop.dispose();
  }
}

function snapshotAgent({ agentMaxSteps }: RunPlan, { lead }: Cast): SnapshotAgent {
  const { name, id, prompt, model } = lead;
  return {
    name,
    maxSteps: agentMaxSteps,
    ...(id !== undefined && { id }),
    ...(prompt !== undefined && { prompt }),
    ...(model !== undefined && { model }),
  };
}

/** Leaves the error on the run's record, so that whoever finds it knows a failing run from a crashed one. */
async function recordFailure(
  plan: RunPlan,
  recorder: Recorder,
  lease: RunLease | undefined,
  error: unknown,
): Promise<void> {
  const isSomebodyElses = error instanceof SessionBusyError || lease?.lost.aborted;
  if (!lease || isSomebodyElses) return;
  try {
    await recorder.record({ kind: 'failed', lastError: lastErrorOf(error, plan.ports.timers.now()) });
  } catch (failure) {
    // The run's own error is what the caller must see; the record keeps its last state.
    plan.ports.logger.warn(`lousho: the error of a run could not be recorded`, failure);
  }
}
