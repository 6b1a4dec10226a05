import { AgentExecutor } from '../executor/agent-executor.js';
import type { ExecuteOptions } from '../executor/execute-options.js';
import { assertKnownOptions } from '../executor/option-checks.js';
import type { RunInput } from '../executor/run-input.js';
import { SessionQueue } from '../executor/session-queue.js';
import type { Agent, ResumeOptions, SendOptions } from './agent.js';
import { agentConfig } from './agent-config.js';
import { type AgentSetup, agentSetup, type CreateAgentOptions, checkpointsOf } from './agent-options.js';
import { approvalsOf } from './approvals.js';
import { assertCanList, listPendingRuns } from './pending.js';
import { type Recovery, startRecovery } from './recover.js';

/** An agent. Rejects wrong options at once, with `LOUSHO_CONFIG_*`. */
export function createAgent(options: CreateAgentOptions): Agent {
  const setup = agentSetup(options);
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

  const agent: Agent = {
    name: setup.name,
    send: (input, sendOptions) => track(send(setup, input, sendOptions)),
    stream: (input, sendOptions) => {
      const run = AgentExecutor.stream(executeOptions(setup, input, sendOptions));
      void track(run.result);
      return run;
    },
    resume: (sessionId, resumeOptions) => track(resume(setup, sessionId, resumeOptions)),
    approvals: approvalsOf(setup, track),
    pending: async () => listPendingRuns(checkpointsOf(setup, 'pending')),
    recover: (recoverOptions) => {
      const store = checkpointsOf(setup, 'recover');
      assertCanList(store);
      const recovery = startRecovery(
        {
          timers: setup.ports.timers,
          pending: agent.pending,
          undecided: () => undecidedIds(setup),
          resume: (sessionId, signal) => agent.resume(sessionId, { signal }),
          isRunningHere: (sessionId) => SessionQueue.of(store).isBusy(sessionId),
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
  return agent;
}

/** The approvals that people still owe; `undefined` without a place to look. */
async function undecidedIds(setup: AgentSetup): Promise<ReadonlySet<string> | undefined> {
  const list = await setup.approvals?.list();
  return list && new Set(list.map((approval) => approval.id));
}

async function send(setup: AgentSetup, input: RunInput, options: SendOptions | undefined) {
  return AgentExecutor.execute(executeOptions(setup, input, options));
}

async function resume(setup: AgentSetup, sessionId: string, resumeOptions: ResumeOptions = {}) {
  assertKnownOptions('resume()', resumeOptions, ['signal']);
  checkpointsOf(setup, 'resume');
  const { signal } = resumeOptions;
  const { input: _, ...options } = executeOptions(setup, [], { sessionId, ...(signal && { signal }) });
  return AgentExecutor.resume(options);
}

const SEND_OPTIONS = [
  'sessionId',
  'signal',
  'maxSteps',
  'metadata',
  'principal',
  'businessState',
  'approvalTtlMs',
] as const satisfies readonly (keyof SendOptions)[];

function executeOptions(setup: AgentSetup, input: RunInput, options: SendOptions = {}): ExecuteOptions {
  assertKnownOptions('send()', options, SEND_OPTIONS);
  if ('sessionId' in options) checkpointsOf(setup, 'send');
  const { checkpoints, approvals, approvalTtlMs } = setup;
  return {
    agent: agentConfig(setup),
    input,
    provider: setup.provider,
    toolConcurrency: setup.toolConcurrency,
    hooks: setup.hooks,
    lease: setup.lease,
    ports: setup.ports,
    ...(checkpoints && { checkpointStore: checkpoints }),
    ...(approvals && { approvalStore: approvals }),
    ...(approvalTtlMs !== undefined && { approvalTtlMs }),
    ...options,
  };
}
