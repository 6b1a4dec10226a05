import { SessionAwaitingApprovalError, statusOf } from '../contract/index.js';
import { AgentExecutor } from '../executor/agent-executor.js';
import { startAgentRun } from '../executor/agent-run.js';
import { withDecisions } from '../executor/decisions.js';
import type { Emit } from '../executor/events.js';
import { executePlan, resumeListedPlan } from '../executor/execute-plan.js';
import { assertKnownOptions } from '../executor/option-checks.js';
import type { RunInput } from '../executor/run-input.js';
import { planRun } from '../executor/run-plan.js';
import { SessionQueue } from '../executor/session-queue.js';
import { Watch } from '../executor/watch.js';
import type { Agent, ResumeOptions, SendOptions } from './agent.js';
import { agentConfig } from './agent-config.js';
import { type AgentSetup, agentSetup, type CreateAgentOptions, checkpointsOf } from './agent-options.js';
import { approvalsOf } from './approvals.js';
import { agentOptions, sendOptions } from './call-options.js';
import { registerTarget } from './handoff-options.js';
import { assertCanList, listPendingRuns, pendingCount } from './pending.js';
import type { PendingRun } from './pending-run.js';
import { type Recovery, startRecovery } from './recover.js';
import { type OpenSessionParts, openSession, turnSettler } from './session/open-session.js';
import { isSessionId, pausedKey } from './session/session-keys.js';
import { registerEmployable } from './subagent-options.js';

/** An agent. Rejects wrong options at once, with `LOUSHO_CONFIG_*`. */
export function createAgent(options: CreateAgentOptions): Agent {
  const setup = agentSetup(options);
  const watch = Watch.of(setup.observer, setup.ports.logger);
  const going = new Set<Promise<unknown>>();
  const recoveries = new Set<Recovery>();

  function track<T>(call: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = call.then(
      () => going.delete(settled),
      () => going.delete(settled),
    );
    going.add(settled);
    return call;
  }

  const sessionParts: OpenSessionParts = {
    setup,
    track,
    turnOptions: (turn) => ({ ...agentOptions(setup), ...turn }),
  };

  const agent: Agent = {
    name: setup.name,
    approvals: approvalsOf(setup, track, turnSettler(sessionParts)),
    send: (input, options) => track(send(setup, input, options)),
    stream: (input, options) => {
      const run = stream(setup, input, options);
      void track(run.result);
      return run;
    },
    resume: (sessionId, options) => track(resume(sessionParts, sessionId, options)),
    session: (sessionOptions) => openSession(sessionParts, sessionOptions),
    fork: async (sessionId, forkOptions) =>
      AgentExecutor.fork({
        ...forkOptions,
        sessionId,
        checkpointStore: checkpointsOf(setup, 'fork'),
        ports: setup.ports,
      }),
    pending: async () => listPendingRuns(checkpointsOf(setup, 'pending')),
    recover: (recoverOptions) => {
      const store = checkpointsOf(setup, 'recover');
      assertCanList(store);
      const recovery = startRecovery(
        {
          timers: setup.ports.timers,
          pending: agent.pending,
          undecided: () => undecidedIds(setup),
          onLook: (runs) => watch?.note({ kind: 'pending', agentName: setup.name, runs: pendingCount(runs) }),
          resume: (run, signal) => track(resumeListed(sessionParts, run, signal)),
          isRunningHere: (sessionId) =>
            [store, setup.sessions].some((line) => line && SessionQueue.of(line).isBusy(sessionId)),
        },
        recoverOptions,
      );
      recoveries.add(recovery);
      void recovery.done.finally(() => recoveries.delete(recovery));
      return recovery;
    },
    close: async () => {
      await Promise.all([...recoveries].map((recovery) => recovery.stop()));
      await Promise.all(going);
    },
  };
  registerTarget(agent, { agent: agentConfig(setup), provider: setup.provider });
  registerEmployable(agent, {
    agent: agentConfig(setup),
    provider: setup.provider,
    hooks: setup.hooks,
    ...(setup.subagents && { delegates: setup.subagents }),
  });
  return agent;
}

async function send(setup: AgentSetup, input: RunInput, options: SendOptions | undefined) {
  return executePlan(sendExecution(setup, input, options, { emit: () => undefined, streamsText: false }));
}

function stream(setup: AgentSetup, input: RunInput, options: SendOptions | undefined) {
  const { plan, runId } = sendExecution(setup, input, options, { emit: () => undefined, streamsText: true });
  return startAgentRun(runId, plan.ports, (emit, input) =>
    executePlan({
      plan,
      runId,
      emit,
      input,
      streamsText: true,
      precheck: pausedSessionCheck(setup, options),
    }),
  );
}

function sendExecution(
  setup: AgentSetup,
  input: RunInput,
  options: SendOptions | undefined,
  told: { readonly emit: Emit; readonly streamsText: boolean },
) {
  const plan = planRun(sendOptions(setup, input, options));
  const precheck = pausedSessionCheck(setup, options);
  return { plan, ...told, runId: plan.ports.ids.next(), precheck };
}

/** A run under a session's own id must not go past a question that a turn of the session asked. */
function pausedSessionCheck(setup: AgentSetup, options: SendOptions = {}): (() => Promise<void>) | undefined {
  const { sessions, checkpoints, approvals } = setup;
  const { sessionId } = options;
  if (!sessions || !checkpoints || sessionId === undefined || !isSessionId(sessionId)) return undefined;
  return async () => {
    const marker = await checkpoints.load(pausedKey(sessionId));
    if (typeof marker?.metadata?.turn !== 'string') return;
    // The marker is put up before the turn pauses and may outlive its pause: the turn itself says whether it waits.
    const checkpointId = marker.metadata.turn;
    const stored = await checkpoints.load(checkpointId);
    const turn = stored && (await withDecisions(approvals, stored));
    if (!turn || statusOf(turn) !== 'awaiting-approval') return;
    const { approvalId, approvalKind } = turn;
    throw new SessionAwaitingApprovalError({ sessionId, checkpointId, approvalId, approvalKind });
  };
}

/** The approvals that people still owe; `undefined` without a place to look. */
async function undecidedIds(setup: AgentSetup): Promise<ReadonlySet<string> | undefined> {
  const list = await setup.approvals?.list();
  return list && new Set(list.map((approval) => approval.id));
}

/** A run that a listing has shown. */
async function resumeListed(parts: OpenSessionParts, { kind, sessionId }: PendingRun, signal: AbortSignal) {
  if (kind === 'session') return resume(parts, sessionId, { signal });
  const plan = planRun({ ...agentOptions(parts.setup), input: [], sessionId, signal });
  return resumeListedPlan({ plan, runId: plan.ports.ids.next(), emit: () => undefined, streamsText: false });
}

/** A run of the id first, then a session's turn. */
async function resume(parts: OpenSessionParts, sessionId: string, options: ResumeOptions = {}) {
  const { setup } = parts;
  assertKnownOptions('resume()', options, ['signal']);
  checkpointsOf(setup, 'resume');
  const { signal } = options;
  const result = await AgentExecutor.resume({ ...agentOptions(setup), sessionId, ...(signal && { signal }) });
  if (result || !setup.sessions || !isSessionId(sessionId)) return result;
  return openSession(parts, { id: sessionId }).resume(signal ? { signal } : {});
}
