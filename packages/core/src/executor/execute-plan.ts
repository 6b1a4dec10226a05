import {
  type Checkpoint,
  ConfigurationError,
  encode,
  SDKError,
  SessionAwaitingApprovalError,
  statusOf,
} from '../contract/index.js';
import { type Admission, admit } from '../run/admit.js';
import { type FinishReason, type RunSettings, type RunState, resumedRun } from '../run/run-state.js';
import { openCalls } from '../run/transcript.js';
import type { RunPlan } from './execute-options.js';
import type { Execution } from './execution.js';
import { type ExecutionResult, executionResult } from './execution-result.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { RecordTarget } from './recorder.js';
import { runAdmitted } from './run-admitted.js';
import { reported } from './run-report.js';
import { SessionQueue } from './session-queue.js';

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
    if (stored === null || statusOf(stored) === 'finished') return null;
    return reported(execution, (reporting) => leased(reporting, { onlyUnfinished: true }));
  });
}

async function execute(execution: Execution): Promise<ExecutionResult | null> {
  const { durable, input } = execution.plan;
  if (!durable) {
    const admission = admit(null, input, settingsOf(execution));
    return admission.kind === 'run' ? runAdmitted(execution, admission.state, undefined) : null;
  }
  const { store, sessionId } = durable;
  return SessionQueue.of(store).run(sessionId, async () => {
    if (input.length === 0 && (await store.load(sessionId)) === null) return null;
    return leased(execution);
  });
}

/** Everything that is decided on what is stored is decided under the lease. */
async function leased(
  execution: Execution,
  options: { onlyUnfinished?: boolean } = {},
): Promise<ExecutionResult | null> {
  const { plan } = execution;
  const { store, sessionId } = plan.durable as NonNullable<RunPlan['durable']>;
  const lease = await LeaseKeeper.of(store, plan.lease, plan.ports).acquire(sessionId);
  try {
    const stored = await store.load(sessionId);
    assertSamePrincipal(plan, stored);
    const admission = admit(stored, plan.input, settingsOf(execution));
    if (options.onlyUnfinished && admission.kind === 'finished') return null;
    return await begin(execution, admission, { store, lease, stored });
  } finally {
    await lease.release();
  }
}

async function begin(
  execution: Execution,
  admission: Admission,
  target: RecordTarget,
): Promise<ExecutionResult | null> {
  switch (admission.kind) {
    case 'nothing':
      return null;
    case 'finished': {
      const state = resumedRun(settingsOf(execution), admission.stored);
      return executionResult(state, (admission.stored.finishReason ?? 'stop') as FinishReason);
    }
    case 'awaiting-approval': {
      const { sessionId, approvalId, approvalKind } = admission.stored;
      throw new SessionAwaitingApprovalError({ sessionId, approvalId, approvalKind });
    }
    case 'run':
      if (admission.isResumed) assertToolsOfOpenCalls(execution.plan, admission.state);
      return runAdmitted(execution, admission.state, target, admission.isResumed);
    default:
      return admission satisfies never;
  }
}

function settingsOf({ plan, runId }: Execution): RunSettings {
  const { agent, businessState, principal, metadata } = plan;
  return {
    sessionId: plan.durable?.sessionId,
    runId,
    agentMaxSteps: plan.agentMaxSteps,
    ...(plan.ownMaxSteps !== undefined && { ownMaxSteps: plan.ownMaxSteps }),
    systemPrompt: agent.prompt,
    ...(agent.id !== undefined && { agentId: agent.id }),
    ...(businessState !== undefined && { businessState }),
    ...(principal !== undefined && { principal }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Checked before anything runs; the record stays as it is. */
function assertToolsOfOpenCalls(plan: RunPlan, state: RunState): void {
  for (const call of openCalls(state.messages, state.settledResults)) {
    if (plan.tools.has(call.function.name)) continue;
    throw new SDKError(
      'LOUSHO_RESUME_TOOL_MISSING',
      `session ${state.sessionId}: call ${call.id} is pending on tool ${call.function.name}, which agent ${plan.agent.name} does not have`,
    );
  }
}

function assertSamePrincipal(plan: RunPlan, stored: Checkpoint | null): void {
  if (plan.principal === undefined || stored?.principal === undefined) return;
  if (encode(plan.principal) === encode(stored.principal)) return;
  throw new ConfigurationError(`session ${stored.sessionId} belongs to another principal`, {
    field: 'principal',
  });
}
