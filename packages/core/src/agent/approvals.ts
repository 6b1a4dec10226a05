import {
  type ApprovalDecision,
  type ApprovalStore,
  ConfigurationError,
  expected,
  type PendingApproval,
} from '../contract/index.js';
import type { AgentRun } from '../executor/agent-run.js';
import type { ExecutionResult } from '../executor/execution-result.js';
import { isClaim } from '../executor/go-on-claim.js';
import { assertKnownOptions } from '../executor/option-checks.js';
import {
  type ApprovalResumeOptions,
  type ResumeRequest,
  resumeRequest,
  streamResumeRequest,
} from '../executor/resume-request.js';
import { ToolRegistry } from '../executor/tool-registry.js';
import { agentConfig } from './agent-config.js';
import type { AgentSetup } from './agent-options.js';

export interface DecisionOptions {
  /** Aborting before the decision leaves the approval pending; later, it aborts the run that goes on. */
  readonly signal?: AbortSignal;
  /** On whose behalf the run acts: it goes on only for the one that it began for. */
  readonly principal?: unknown;
}

/** An answer to a question that the agent asked. */
export interface QuestionAnswer {
  readonly id: string;
  readonly answer: string;
  /** Who answered; kept with the approval. */
  readonly by?: unknown;
}

/** The decisions that people owe, and the way to give them. Any process with the same store may use it. */
export interface Approvals {
  /** The undecided approvals, oldest first. */
  list(): Promise<readonly PendingApproval[]>;
  /** The approval while it is undecided; `undefined` for every other id, also a malformed one. */
  get(id: string): Promise<PendingApproval | undefined>;
  /**
   * Decides an approval, once, and resolves with what its run came to: it has finished, pauses again, or still waits for other
   * decisions of the same pause (`finishReason: 'awaiting-approval'`). `by` is kept for audit. Rejects with
   * `LOUSHO_APPROVAL_NOT_FOUND` for an unknown or decided one, `LOUSHO_APPROVAL_ORPHANED` when its run is gone or went on (nothing is
   * run), and with `LOUSHO_SESSION_BUSY` or `LOUSHO_RESUME_TOOL_MISSING`, the approval still pending.
   */
  resolve(decision: ApprovalDecision, options?: DecisionOptions): Promise<ExecutionResult>;
  /**
   * Answers a question: the same as approving it with the answer as its note. Rejects with `LOUSHO_CONFIG_INVALID`, the approval still
   * pending, for one that is no question: an answer must not be taken for a yes to a tool.
   */
  answer(answer: QuestionAnswer, options?: DecisionOptions): Promise<ExecutionResult>;
  streamResolve(decision: ApprovalDecision, options?: DecisionOptions): AgentRun;
  streamAnswer(answer: QuestionAnswer, options?: DecisionOptions): AgentRun;
}

/** Commits a session's turn when its last decision has finished it. */
export type SettleTurn = (approval: PendingApproval, result: ExecutionResult) => Promise<ExecutionResult>;

export function approvalsOf(
  setup: AgentSetup,
  track: <T>(call: Promise<T>) => Promise<T>,
  settleTurn: SettleTurn,
): Approvals {
  function request(
    decision: ApprovalDecision,
    options: DecisionOptions | undefined,
    isAnswer: boolean,
  ): ResumeRequest {
    return {
      decision,
      isAnswer,
      approvalStore: approvalStoreOf(setup),
      toolRegistry: new ToolRegistry(),
      provider: setup.provider,
      options: resumeOptions(setup, options),
      checkpointStore: setup.checkpoints,
      settle: (result, { approval }) => settleTurn(approval, result),
    };
  }

  async function resolve(
    decision: ApprovalDecision,
    options: DecisionOptions | undefined,
    isAnswer: boolean,
  ) {
    return resumeRequest(request(decision, options, isAnswer));
  }

  function streamed(
    decision: ApprovalDecision,
    options: DecisionOptions | undefined,
    isAnswer: boolean,
  ): AgentRun {
    const run = streamResumeRequest(request(decision, options, isAnswer));
    void track(run.result);
    return run;
  }

  return {
    list: async () => (await approvalStoreOf(setup).list()).filter((approval) => !isClaim(approval.id)),
    get: async (id) => {
      if (isClaim(id)) return undefined;
      const record = await approvalStoreOf(setup).load(id);
      return record && !record.decision ? record.approval : undefined;
    },
    resolve: (decision, options) => track(resolve(decision, options, false)),
    answer: (answer, options) => track(asPromise(() => resolve(decisionFor(answer), options, true))),
    streamResolve: (decision, options) => streamed(decision, options, false),
    streamAnswer: (answer, options) => streamed(decisionFor(answer), options, true),
  };
}

/** A mistake in the arguments rejects, as every other error does. */
async function asPromise<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

function decisionFor({ id, answer, by }: QuestionAnswer): ApprovalDecision {
  if (typeof answer !== 'string') throw expected('answer', 'a string', answer);
  return { id, approved: true, note: answer, ...(by !== undefined && { by }) };
}

function approvalStoreOf(setup: AgentSetup): ApprovalStore {
  if (setup.approvals) return setup.approvals;
  throw new ConfigurationError('Expected a `store` with approvals, got none', {
    code: 'LOUSHO_APPROVAL_STORE_MISSING',
    field: 'store',
  });
}

function resumeOptions(setup: AgentSetup, options: DecisionOptions = {}): ApprovalResumeOptions {
  assertKnownOptions('approvals', options, ['signal', 'principal']);
  const { signal, principal } = options;
  const { approvalTtlMs, maxHandoffs, toolConcurrency, hooks, observer, lease, onAgentDrift } = setup;
  const { subagents, ports } = setup;
  return {
    currentAgent: agentConfig(setup),
    maxHandoffs,
    toolConcurrency,
    hooks,
    lease,
    onAgentDrift,
    ports,
    ...(observer && { observer }),
    ...(subagents && { subagents }),
    ...(approvalTtlMs !== undefined && { approvalTtlMs }),
    ...(signal && { signal }),
    ...(principal !== undefined && { principal }),
  };
}
