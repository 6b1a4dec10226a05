import type { ApprovalDecision, ApprovalRecord, ApprovalStore } from '../contract/index.js';
import { resumedRun } from '../run/begin-run.js';
import { undecidedCalls } from '../run/run-state.js';
import { checkpointFromSnapshot } from '../run/snapshot.js';
import { assertSamePrincipal, assertToolsOfOpenCalls } from './admission-checks.js';
import { castOfStored } from './cast.js';
import { endRemainingCalls } from './decide-stored-run.js';
import { decidedCalls } from './decisions.js';
import { checkDrift } from './drift-check.js';
import type { Execution } from './execution.js';
import { type ExecutionResult, executionResult } from './execution-result.js';
import { mayGoOn } from './go-on-claim.js';
import { runAdmitted } from './run-admitted.js';
import { settingsOf } from './run-settings.js';
import { takeDecision } from './take-decision.js';

/**
 * Takes a decision about a run that nothing but its approvals keeps, and goes on from the snapshot if it was the last one. The
 * approved call runs at most once; a crash after the decision loses the run, as it loses every run without a session id.
 */
export async function decideSnapshotRun(
  execution: Execution,
  approvals: ApprovalStore,
  record: ApprovalRecord,
  decision: ApprovalDecision,
): Promise<ExecutionResult> {
  const { plan } = execution;
  const stored = checkpointFromSnapshot(record.approval, record.snapshot);
  const cast = await castOfStored(execution, stored);
  const settings = await settingsOf(execution, cast, stored);
  const paused = endRemainingCalls(resumedRun(settings, stored), record);
  assertSamePrincipal(plan, stored);
  assertToolsOfOpenCalls(cast, paused);
  const drift = await checkDrift(plan, cast, stored);
  if (plan.aborted?.aborted) return executionResult(paused, 'aborted', plan.aborted.reason);
  // A session whose record was not given must not take the decision for one that its own run still has to carry out.
  const isDetached = (record.approval.sessionId ?? record.snapshot.sessionId) !== undefined;
  await takeDecision(approvals, record, decision, { clock: plan.ports.timers, isDetached });

  const pausedCalls = await decidedCalls(approvals, paused.pausedCalls, { isDetached });
  const state = { ...paused, pausedCalls };
  const isLast = undecidedCalls(state).length === 0 && (await mayGoOn(approvals, record, pausedCalls));
  return isLast
    ? runAdmitted(execution, cast, state, { isResumed: true, isDecided: true, drift })
    : executionResult(state, 'awaiting-approval');
}
