import {
  type Checkpoint,
  ConfigurationError,
  SessionAwaitingApprovalError,
  statusOf,
} from '../contract/index.js';
import { type Admission, admit, admittedState, type RunAdmission } from '../run/admit.js';
import { resumedRun } from '../run/begin-run.js';
import type { FinishReason } from '../run/run-state.js';
import { assertNotMoved, assertSamePrincipal, assertToolsOfOpenCalls } from './admission-checks.js';
import { castOf } from './cast.js';
import { withDecisions } from './decisions.js';
import { checkDrift } from './drift-check.js';
import type { Execution } from './execution.js';
import { type ExecutionResult, executionResult } from './execution-result.js';
import type { RunLease } from './held-lease.js';
import type { RecordTarget } from './recorder.js';
import { runAdmitted } from './run-admitted.js';
import type { RunPlan } from './run-plan.js';
import { reported } from './run-report.js';
import { settingsOf, storedSettings } from './run-settings.js';
import { SessionQueue } from './session-queue.js';
import { noteRefusal, noteTurnedAway, takeLease, tryLease } from './take-lease.js';
import { withdrawOrphans } from './withdraw-orphans.js';

type Durable = NonNullable<RunPlan['durable']>;

/** Runs a plan to its end. Rejects with `LOUSHO_CONFIG_MISSING_INPUT` when there is neither input nor something stored. */
export async function executePlan(execution: Execution): Promise<ExecutionResult> {
  return reported(execution, async (reporting) => {
    const result = await execute(reporting);
    if (result) return result;
    throw new ConfigurationError('Expected an input: there is nothing to resume', {
      code: 'LOUSHO_CONFIG_MISSING_INPUT',
      field: 'input',
    });
  });
}

/** Finishes the unfinished run of a plan's session; `null` when there is none. */
export async function resumePlan(execution: Execution): Promise<ExecutionResult | null> {
  const { durable } = execution.plan;
  if (!durable) return null;
  const { store, sessionId } = durable;
  return SessionQueue.of(store).run(sessionId, async () => {
    // A look before the lease: an id that is unknown or finished is not touched at all.
    const stored = await store.load(sessionId);
    assertNotMoved(stored);
    if (stored === null || statusOf(stored) === 'finished') return null;
    return reported(execution, (reporting) => leased(reporting, { onlyUnfinished: true }));
  });
}

/**
 * Finishes a run that a listing has just shown to be unfinished; `null` when it is so no more, or when somebody else runs it. That costs
 * one question: nothing is looked at before the lease, and nobody asks who holds it.
 */
export async function resumeListedPlan(execution: Execution): Promise<ExecutionResult | null> {
  const { plan } = execution;
  const durable = plan.durable as Durable;
  return SessionQueue.of(durable.store).run(durable.sessionId, async () => {
    const lease = await tryLease(plan, durable);
    if (lease)
      return reported(execution, (reporting) => underLease(reporting, lease, { onlyUnfinished: true }));
    noteTurnedAway(plan, 'resume');
    return null;
  });
}

/** The same without the frame of events; `null` when there is nothing to run. */
export async function execute(execution: Execution): Promise<ExecutionResult | null> {
  const { durable, input } = execution.plan;
  if (!durable) {
    return begin(execution, admit(null, input), undefined);
  }
  const { store, sessionId } = durable;
  return SessionQueue.of(store).run(sessionId, async () => {
    await execution.precheck?.();
    if (input.length === 0 && (await store.load(sessionId)) === null) return null;
    return leased(execution);
  });
}

async function leased(
  execution: Execution,
  options: { onlyUnfinished?: boolean } = {},
): Promise<ExecutionResult | null> {
  const { plan } = execution;
  const lease = await takeLease(plan, plan.durable as Durable).catch((error: unknown) => {
    noteRefusal(plan, error, plan.input.length > 0 ? 'send' : 'resume');
    throw error;
  });
  return underLease(execution, lease, options);
}

/** Everything that is decided on what is stored is decided under the lease. */
async function underLease(
  execution: Execution,
  lease: RunLease,
  options: { onlyUnfinished?: boolean },
): Promise<ExecutionResult | null> {
  const { plan } = execution;
  const { store, sessionId } = plan.durable as Durable;
  try {
    const loaded = await store.load(sessionId);
    assertNotMoved(loaded);
    await execution.turn?.confirm(loaded);
    assertSamePrincipal(plan, loaded);
    const stored = loaded && (await decidedRecord(execution, loaded));
    const admission = admit(stored, plan.input, plan);
    if (options.onlyUnfinished && admission.kind === 'finished') return null;
    return await begin(execution, admission, { store, lease, stored });
  } finally {
    await lease.release();
  }
}

/** A sub-agent's questions are answered through its lead. */
async function decidedRecord({ plan, delegation }: Execution, loaded: Checkpoint): Promise<Checkpoint> {
  return delegation ? delegation.decided(loaded) : withDecisions(plan.approvals, loaded);
}

async function begin(
  execution: Execution,
  admission: Admission,
  target: RecordTarget | undefined,
): Promise<ExecutionResult | null> {
  switch (admission.kind) {
    case 'nothing':
      return null;
    case 'finished': {
      const state = resumedRun(storedSettings(execution), admission.stored);
      return executionResult(state, (admission.stored.finishReason ?? 'stop') as FinishReason);
    }
    case 'awaiting-approval': {
      if (execution.plan.ifAbsent) {
        const state = resumedRun(storedSettings(execution), admission.stored);
        return executionResult(state, 'awaiting-approval');
      }
      const { sessionId, approvalId, approvalKind } = admission.stored;
      throw new SessionAwaitingApprovalError({ sessionId, approvalId, approvalKind });
    }
    case 'new':
    case 'follow-up':
    case 'resume':
      return run(execution, admission, target);
    default:
      return admission satisfies never;
  }
}

/** Whatever may refuse to begin or to go on does so before anything runs, the record as it was. */
async function run(
  execution: Execution,
  admission: RunAdmission,
  target: RecordTarget | undefined,
): Promise<ExecutionResult> {
  const { plan, delegation } = execution;
  const cast = await castOf(execution, admission);
  const isResumed = admission.kind === 'resume';
  const stored = admission.kind === 'new' ? null : admission.stored;
  const settings = await settingsOf(execution, cast, stored, { isNewRun: !isResumed });
  const state = admittedState(admission, settings);
  if (!isResumed) return runAdmitted(execution, cast, state, { target });
  assertToolsOfOpenCalls(cast, state);
  // A sub-agent was compared with its lead, and asks in its lead's name.
  if (delegation) return runAdmitted(execution, cast, state, { target, isResumed });
  const drift = await checkDrift(plan, cast, admission.stored);
  if (target) await withdrawOrphans(plan, state, target.lease);
  return runAdmitted(execution, cast, state, { target, isResumed, drift });
}
