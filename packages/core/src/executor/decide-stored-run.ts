import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalStore,
  type Checkpoint,
  SessionBusyError,
  statusOf,
} from '../contract/index.js';
import { apply } from '../run/apply.js';
import { resumedRun } from '../run/begin-run.js';
import { type RunState, undecidedCalls } from '../run/run-state.js';
import { keepsRemainingCalls } from '../run/snapshot.js';
import { notRunResult } from '../run/tool-result.js';
import { openCalls } from '../run/transcript.js';
import { assertNotMoved, assertSamePrincipal, assertToolsOfOpenCalls } from './admission-checks.js';
import { alreadyDecided, orphaned } from './approval-errors.js';
import { heldElsewhere } from './busy-error.js';
import { castOfStored } from './cast.js';
import { decidedCalls, pausedCallsOf } from './decisions.js';
import { checkDrift } from './drift-check.js';
import type { Execution } from './execution.js';
import { type ExecutionResult, executionResult } from './execution-result.js';
import { mayGoOn } from './go-on-claim.js';
import { Recorder, type RecordTarget } from './recorder.js';
import { runAdmitted } from './run-admitted.js';
import type { RunPlan } from './run-plan.js';
import { settingsOf } from './run-settings.js';
import { SessionQueue } from './session-queue.js';
import { takeDecision, undecidedRecord, waitsOn } from './take-decision.js';
import { noteRefusal, takeLease } from './take-lease.js';

/** A decision about a run that a checkpoint keeps. */
export interface StoredDecision {
  readonly execution: Execution;
  readonly approvals: ApprovalStore;
  readonly durable: NonNullable<RunPlan['durable']>;
  readonly decision: ApprovalDecision;
}

/** Two people who decide two calls of one pause at once both succeed: the one who comes second waits so long, in milliseconds. */
const USUAL_WAIT_MS = 1_000;
/** Where a store is slow, the other's lease, decision and save take longer than that: about as long as so many reads at most. */
const READS_OF_A_DECISION = 30;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/**
 * Takes a decision under the run's lease, and goes on with the run if it was the last one of its pause. Rejects with
 * `LOUSHO_SESSION_BUSY`, the approval still pending, while the run is held elsewhere; with `LOUSHO_APPROVAL_NOT_FOUND` as soon as
 * somebody else has decided.
 */
export async function decideStoredRun(request: StoredDecision): Promise<ExecutionResult> {
  const { execution, durable, approvals, decision } = request;
  const { timers } = execution.plan.ports;
  const startedAt = timers.monotonic();
  // Of all reads the quickest, because any one may have stood still for a moment.
  let readMs = Number.POSITIVE_INFINITY;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const attempt = await tryUnderLease(request);
    if (attempt.isTaken) return attempt.result;
    const readAt = timers.monotonic();
    await undecidedRecord(approvals, decision.id);
    readMs = Math.min(readMs, timers.monotonic() - readAt);
    if (timers.monotonic() - startedAt >= longestWaitMs(readMs, execution.plan.lease.ttlMs)) {
      const busy = attempt.busy ?? (await heldElsewhere(durable.store, durable.sessionId));
      noteRefusal(execution.plan, busy, 'decide');
      throw busy;
    }
    await new Promise<void>((resolve) => timers.schedule(resolve, pauseMs));
  }
}

/** Never longer than a lease lives, if that is longer than the usual wait. */
function longestWaitMs(readMs: number, ttlMs: number): number {
  return Math.max(USUAL_WAIT_MS, Math.min(READS_OF_A_DECISION * readMs, ttlMs));
}

type Attempt =
  | { readonly isTaken: true; readonly result: ExecutionResult }
  | { readonly isTaken: false; readonly busy?: SessionBusyError };

/** Waiting in the process's own line behind a run that may take hours would keep the second decider from hearing of the first. */
async function tryUnderLease(request: StoredDecision): Promise<Attempt> {
  const { durable, execution } = request;
  const { store, sessionId } = durable;
  const { plan } = execution;
  const queue = SessionQueue.of(store);
  if (queue.isBusy(sessionId)) return { isTaken: false };
  return queue.run(sessionId, async (): Promise<Attempt> => {
    const lease = await takeLease(plan, durable).catch((error: unknown) => {
      if (error instanceof SessionBusyError) return error;
      throw error;
    });
    if (lease instanceof SessionBusyError) return { isTaken: false, busy: lease };
    try {
      const stored = await store.load(sessionId);
      return { isTaken: true, result: await decide(request, { store, lease, stored }) };
    } finally {
      await lease.release();
    }
  });
}

/** In this order, so that a crash between any two steps is finished by a resume: decision, start mark, call, result. */
async function decide(request: StoredDecision, target: RecordTarget): Promise<ExecutionResult> {
  const { execution, approvals, decision } = request;
  const { plan } = execution;
  assertNotMoved(target.stored);
  const record = await undecidedRecord(approvals, decision.id);
  const waiting = await waitingRun(request, record, target.stored);
  assertSamePrincipal(plan, waiting);
  const cast = await castOfStored(execution, waiting);
  const settings = await settingsOf(execution, cast, waiting);
  const paused = endRemainingCalls(resumedRun(settings, waiting), record);
  assertToolsOfOpenCalls(cast, paused);
  const drift = await checkDrift(plan, cast, waiting);
  if (plan.aborted?.aborted) return executionResult(paused, 'aborted', plan.aborted.reason);
  await takeDecision(approvals, record, decision, { clock: plan.ports.timers });

  const pausedCalls = await decidedCalls(approvals, paused.pausedCalls);
  const state = { ...paused, pausedCalls };
  const isLast = undecidedCalls(state).length === 0;
  const isLeased = target.store.acquireLease !== undefined;
  if (isLast && (isLeased || (await mayGoOn(approvals, record, pausedCalls)))) {
    return runAdmitted(execution, cast, state, { target, isResumed: true, isDecided: true, drift });
  }
  // Without a lease a save could land on what whoever goes on has written meanwhile; the approvals know the decisions.
  if (isLast || !isLeased) return executionResult(state, 'awaiting-approval');
  const recorder = new Recorder(state, target);
  recorder.watch = plan.watch;
  await recorder.record({ kind: 'paused', pausedCalls });
  return executionResult(recorder.state, 'awaiting-approval');
}

/** The record that waits on the approval. One that does not any more has left the approval an orphan: it is withdrawn. */
async function waitingRun(
  { approvals, durable }: StoredDecision,
  { approval }: ApprovalRecord,
  stored: Checkpoint | null,
): Promise<Checkpoint> {
  const isSameRun = !stored?.runId || !approval.runId || stored.runId === approval.runId;
  if (stored && isSameRun) {
    const pausedCalls = await pausedCallsOf(approvals, stored);
    if (statusOf(stored) === 'awaiting-approval' && waitsOn(pausedCalls, approval.id)) {
      return { ...stored, pausedCalls };
    }
    if (pausedCalls.some((call) => call.approvalId === approval.id)) throw alreadyDecided(approval.id);
  }
  await approvals.delete(approval.id);
  throw orphaned(approval.id, durable.sessionId);
}

/** Records from before `remainingToolCalls` end the calls beside the paused one. */
export function endRemainingCalls(state: RunState, { snapshot }: ApprovalRecord): RunState {
  if (keepsRemainingCalls(snapshot)) return state;
  const paused = new Set(state.pausedCalls.map((call) => call.toolCallId));
  return openCalls(state.messages, state.settledResults)
    .filter((call) => !paused.has(call.id))
    .map((call) => notRunResult(call, 'its turn paused before calls behind the paused one were kept'))
    .reduce<RunState>((next, result) => apply(next, { kind: 'call-settled', result }), state);
}
