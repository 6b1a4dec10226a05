import type { ExecuteOptions } from '../executor/execute-options.js';
import { assertKnownOptions } from '../executor/option-checks.js';
import type { RunInput } from '../executor/run-input.js';
import type { SendOptions } from './agent.js';
import { agentConfig } from './agent-config.js';
import { type AgentSetup, checkpointsOf } from './agent-options.js';

const SEND_OPTIONS = [
  'sessionId',
  'ifAbsent',
  'signal',
  'maxSteps',
  'metadata',
  'principal',
  'businessState',
  'approvalTtlMs',
] as const satisfies readonly (keyof SendOptions)[];

/** What every call of the agent runs with. */
export function agentOptions(setup: AgentSetup): Omit<ExecuteOptions, 'input'> {
  const { checkpoints, approvals, approvalTtlMs } = setup;
  return {
    agent: agentConfig(setup),
    provider: setup.provider,
    maxHandoffs: setup.maxHandoffs,
    toolConcurrency: setup.toolConcurrency,
    hooks: setup.hooks,
    ...(setup.observer && { observer: setup.observer }),
    onAgentDrift: setup.onAgentDrift,
    ...(setup.subagents && { subagents: setup.subagents }),
    lease: setup.lease,
    ports: setup.ports,
    ...(checkpoints && { checkpointStore: checkpoints }),
    ...(approvals && { approvalStore: approvals }),
    ...(approvalTtlMs !== undefined && { approvalTtlMs }),
  };
}

/** The options of one `send()` or `stream()`. */
export function sendOptions(setup: AgentSetup, input: RunInput, options: SendOptions = {}): ExecuteOptions {
  assertKnownOptions('send()', options, SEND_OPTIONS);
  if ('sessionId' in options) checkpointsOf(setup, 'send');
  return { ...agentOptions(setup), input, ...options };
}
