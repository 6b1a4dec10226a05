import { SessionBusyError, type SnapshotAgent } from '../contract/index.js';
import { lastErrorOf } from '../run/last-error.js';
import type { RunState } from '../run/run-state.js';
import type { Beginning } from './beginning.js';
import type { Cast } from './cast.js';
import type { Execution } from './execution.js';
import { type ExecutionResult, executionResult } from './execution-result.js';
import type { RunLease } from './held-lease.js';
import { stopSignal } from './linked-signal.js';
import { observedRun } from './observed-run.js';
import { Recorder } from './recorder.js';
import { runLoop } from './run-loop.js';
import type { RunPlan } from './run-plan.js';
import { delegatedLease } from './subagents/delegated-lease.js';
import type { Watch } from './watch.js';

/** Runs an admitted state to its end, and leaves the error of a failed attempt on its record. */
export async function runAdmitted(
  execution: Execution,
  cast: Cast,
  state: RunState,
  beginning: Beginning,
): Promise<ExecutionResult> {
  const { watch } = execution.plan;
  if (!watch) return runToEnd(execution, cast, state, beginning);
  const about = observedRun(execution, cast, state, beginning);
  const run = watch.begin((observer, parent) => observer.run?.(about, parent));
  const { traceparent } = run;
  const observed = traceparent === undefined ? state : { ...state, trace: { traceparent } };
  try {
    const result = await run.within(() => runToEnd(execution, cast, observed, beginning, run.watch));
    run.end({ finishReason: result.finishReason, usage: result.usage });
    return result;
  } catch (error) {
    run.end({ error });
    throw error;
  }
}

async function runToEnd(
  execution: Execution,
  cast: Cast,
  state: RunState,
  { target, isResumed, drift }: Beginning,
  watch?: Watch,
): Promise<ExecutionResult> {
  const { plan, emit, streamsText, delegation } = execution;
  const stop = stopSignal(plan.aborted, target?.lease.lost);
  const recorder = new Recorder(state, target, delegation?.recorded);
  recorder.watch = watch;
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
      watch,
      timers: plan.ports.timers,
      ids: plan.ports.ids,
      logger: plan.ports.logger,
    });
    await tasks?.close();
    const background = tasks?.inBackground() ?? [];
    const result = executionResult(recorder.state, reason, plan.aborted?.reason);
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
