import type { Checkpoint, CheckpointStore, Message, ToolCall } from '../../contract/index.js';
import { resumedRun } from '../../run/begin-run.js';
import { keptRun, spentBy, withLeadsDecisions } from '../../run/delegation.js';
import { taskKey } from '../../run/task-key.js';
import { castOfStored } from '../cast.js';
import type { Emit } from '../events.js';
import type { ExecuteOptions } from '../execute-options.js';
import { execute } from '../execute-plan.js';
import type { Execution } from '../execution.js';
import type { ExecutionResult } from '../execution-result.js';
import { runAdmitted } from '../run-admitted.js';
import { planStored, type RunPlan } from '../run-plan.js';
import { settingsOf } from '../run-settings.js';
import type { Delegation, HandedQuestion, LeadRun, LeadScope, SubagentQuestion } from './delegates.js';
import { removeTask } from './remove-tasks.js';
import type { Subagent } from './subagent.js';

/** One task of a lead, as far as it concerns the agent that works on it. */
export interface SubagentRequest {
  readonly lead: LeadRun;
  readonly scope: LeadScope;
  readonly maxDepth: number;
  readonly subagent: Subagent;
  /** Names the task within the lead's session. */
  readonly taskId: string;
  /** The lead's call that waits for it. */
  readonly call: ToolCall;
  readonly args: unknown;
  readonly prompt: string;
  /** What was said before, where an earlier task goes on. */
  readonly conversation?: readonly Message[] | undefined;
  readonly signal: AbortSignal;
}

/** What it came to; with questions, it stands until the lead has their answers. */
export interface SubagentRun {
  readonly result: ExecutionResult;
  readonly questions: readonly SubagentQuestion[];
}

/**
 * Runs a sub-agent in its lead's process, from where it stood if that is known. Everything but its record and its session is the lead's:
 * signal, hooks, approvals, concurrency, listeners, principal.
 */
export async function runSubagent(request: SubagentRequest): Promise<SubagentRun> {
  const { lead, taskId } = request;
  const handed: HandedQuestion[] = [];
  const kept = lead.recorder.state.subagents?.[taskId];
  const home = kept ? undefined : homeOf(request);
  if (home) await removeForeign(home, lead.recorder.state.runId);
  const delegation = delegationOf(request, { isKept: !home, handed });
  const execution: Execution = {
    plan: planOf(request, home),
    runId: lead.ids.next(),
    emit: taggedEmit(request, delegation.path),
    streamsText: lead.streamsText,
    delegation,
  };
  const result = kept ? await resumeKept(execution, kept) : await execute(execution);
  if (!result) throw new Error(`task ${taskId} has no input`);
  return { result, questions: handed.map((question) => questionOf(request, question)) };
}

interface Home {
  readonly store: CheckpointStore;
  readonly key: string;
}

/** Where a sub-agent has its record; only a lead with a record can resume one. */
export function homeOf({
  lead,
  subagent,
  taskId,
}: Pick<SubagentRequest, 'lead' | 'subagent' | 'taskId'>): Home | undefined {
  const { target, state } = lead.recorder;
  if (!subagent.durable || !target || state.sessionId === undefined) return undefined;
  return { store: target.store, key: taskKey(state.sessionId, taskId) };
}

/** The session may have been deleted and begun again, and left the record of a former life behind. */
async function removeForeign({ store, key }: Home, leadsRunId: string): Promise<void> {
  const stored = await store.load(key);
  if (stored && stored.delegatedBy?.runId !== leadsRunId) await removeTask(store, key);
}

function planOf(request: SubagentRequest, home: Home | undefined): RunPlan {
  const { lead, scope, maxDepth, subagent, conversation } = request;
  const { principal, metadata } = lead.recorder.state;
  const isLast = scope.path.length + 1 >= maxDepth;
  const options: ExecuteOptions = {
    agent: subagent.agent,
    provider: subagent.provider,
    input: request.prompt,
    toolConcurrency: Number.isFinite(lead.toolConcurrency) ? lead.toolConcurrency : 'unbounded',
    hooks: [...lead.hooks, ...(subagent.hooks ?? [])],
    signal: request.signal,
    lease: scope.lease,
    onAgentDrift: scope.onAgentDrift,
    ports: { timers: lead.timers, ids: lead.ids, logger: lead.logger },
    ...(subagent.delegates && !isLast && { subagents: subagent.delegates }),
    ...(lead.approvals && { approvalStore: lead.approvals }),
    ...(principal !== undefined && { principal }),
    ...(metadata && { metadata }),
    ...(home && { sessionId: home.key, checkpointStore: home.store, ifAbsent: true }),
  };
  return { ...planStored(options), watch: lead.watch, ...(conversation && { conversation }) };
}

function delegationOf(
  { lead, scope, maxDepth, subagent, taskId }: SubagentRequest,
  { isKept, handed }: { readonly isKept: boolean; readonly handed: HandedQuestion[] },
): Delegation {
  const { recorder } = lead;
  let isKeptNow = recorder.state.subagents?.[taskId] !== undefined;
  return {
    origin: {
      sessionId: recorder.state.sessionId ?? '',
      runId: recorder.state.runId,
      agentName: subagent.name,
    },
    path: [...scope.path, subagent.name],
    maxDepth,
    lease: lead.lease,
    decided: (stored) => withLeadsDecisions(stored, recorder.state.pausedCalls),
    suspend: (questions) => void handed.push(...questions),
    recorded: async (state, fact) => {
      // From its first question on, a run without a record of its own is kept with its lead's.
      if (isKept && fact.kind === 'paused') isKeptNow = true;
      // A last reply is not in the sub-agent's record before that says that it has finished: until then it is not counted here either.
      const isLastReply = !isKept && fact.kind === 'model-answered' && !fact.message.toolCalls?.length;
      const isSpend = (fact.kind === 'model-answered' && !isLastReply) || fact.kind === 'call-settled';
      // An approved call starts: from now on the lead does not wait for a person any more, and its record says so.
      const isGoingOn = fact.kind === 'call-started' && recorder.state.pausedCalls.length > 0;
      // An attempt that failed or was aborted stands where it stood before.
      const isEnd = fact.kind === 'failed' || fact.kind === 'aborted';
      if (isEnd || (!isKeptNow && !isSpend && !isGoingOn)) return;
      await recorder.record({
        kind: 'delegated',
        taskId,
        runId: state.runId,
        usage: spentBy(state),
        ...(isKeptNow && { kept: keptRun(state) }),
      });
    },
  };
}

/** Goes on from what the lead's record keeps. */
async function resumeKept(execution: Execution, kept: Checkpoint): Promise<ExecutionResult> {
  const stored = execution.delegation?.decided(kept) ?? kept;
  const cast = await castOfStored(execution, stored);
  const state = resumedRun(await settingsOf(execution, cast, stored), stored);
  return runAdmitted(execution, cast, state, { isResumed: true });
}

/** The lead's listeners hear what happens in between; beginning and end are those of the lead's call. */
function taggedEmit({ lead, taskId }: SubagentRequest, path: readonly string[]): Emit {
  return (event) => {
    if (event.type === 'run.start' || event.type === 'run.done' || event.type === 'error') return;
    lead.emit(event.subagent ? event : { ...event, subagent: { path, taskId } });
  };
}

function questionOf(
  { call, args, taskId, subagent }: SubagentRequest,
  { approvalId, asked, path, snapshot }: HandedQuestion,
): SubagentQuestion {
  return {
    call,
    approvalId,
    asked,
    path: [subagent.name, ...path],
    suspension: {
      toolCallId: call.id,
      toolName: call.function.name,
      args,
      taskId,
      agentName: subagent.name,
      snapshot,
    },
  };
}
