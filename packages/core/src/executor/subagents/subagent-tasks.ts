import type { SessionStore, ToolCall } from '../../contract/index.js';
import { argsOf } from '../../run/call-args.js';
import type { EndedTask } from '../../run/delegation.js';
import { isTaskCall, taskCallOf, taskIdOf, tasksOfRun } from '../../run/task-key.js';
import { taskResult } from '../../run/task-result.js';
import { Conversations } from './conversations.js';
import type { LeadRun, LeadScope, TaskOutcome, Tasks } from './delegates.js';
import { Places } from './places.js';
import { removeTask } from './remove-tasks.js';
import { homeOf, runSubagent, type SubagentRequest, type SubagentRun } from './run-subagent.js';
import type { Subagent } from './subagent.js';
import { isToldToModel } from './task-failure.js';
import type { TaskArgs } from './task-tools.js';

export interface TasksParts {
  readonly subagents: ReadonlyMap<string, Subagent>;
  readonly scope: LeadScope;
  readonly maxDepth: number;
  readonly maxConcurrent: number;
  readonly sessions: SessionStore | undefined;
}

/** The tasks of one run of a lead. */
export class SubagentTasks implements Tasks {
  readonly #places: Places;
  readonly #conversations: Conversations;

  constructor(readonly parts: TasksParts) {
    this.#places = new Places(parts.maxConcurrent);
    this.#conversations = new Conversations(parts.sessions);
  }

  call(lead: LeadRun, call: ToolCall, args: unknown): Promise<TaskOutcome> | undefined {
    return isTaskCall(call) ? this.#task(lead, call, args as TaskArgs) : undefined;
  }

  async forget(lead: LeadRun, taskIds: readonly string[]): Promise<void> {
    for (const taskId of taskIds) {
      const call = taskCallOf(lead.recorder.state.messages, taskId);
      const subagent = call && isTaskCall(call) ? this.#named(String(argsOf(call).agent)) : undefined;
      const home = subagent && homeOf({ lead, subagent, taskId });
      if (home && subagent?.delegates) await removeTask(home.store, home.key);
      else await home?.store.delete(home.key);
    }
  }

  async finish(lead: LeadRun): Promise<void> {
    // An earlier process may have died before it could clear up behind a task.
    const isResumed = lead.recorder.target?.stored?.runId === lead.recorder.state.runId;
    if (isResumed) await this.forget(lead, tasksOfRun(lead.recorder.state));
  }

  async #task(lead: LeadRun, call: ToolCall, args: TaskArgs): Promise<TaskOutcome> {
    const taskId = taskIdOf(lead.recorder.state.messages, call);
    const task = { lead, call, args, taskId };
    return this.#outcome(task, await this.#attempt({ ...task, signal: lead.stop }));
  }

  async #attempt(task: {
    readonly lead: LeadRun;
    readonly call: ToolCall;
    readonly args: TaskArgs;
    readonly taskId: string;
    readonly signal: AbortSignal;
  }): Promise<Attempt> {
    const { lead, args, taskId } = task;
    const subagent = this.#named(args.agent) as Subagent;
    const { scope, maxDepth } = this.parts;
    try {
      const conversation =
        args.taskId === undefined ? undefined : await this.#conversations.load(lead, args.taskId);
      const request = { ...task, scope, maxDepth, subagent, prompt: args.prompt, conversation };
      const run = await this.#places.within(() => runSubagent(request));
      const isOver = run.questions.length === 0 && run.result.finishReason !== 'aborted';
      if (isOver) await this.#conversations.keep(lead, conversationId(args, taskId), run.result.messages);
      return { run };
    } catch (error) {
      if (!isToldToModel(error, { isKept: isKept(task, subagent) })) throw error;
      return { error };
    }
  }

  #outcome(task: { readonly args: TaskArgs; readonly taskId: string }, attempt: Attempt): TaskOutcome {
    const { taskId } = task;
    if ('error' in attempt) return { kind: 'failed', error: attempt.error, task: { taskId } };
    const { result, questions } = attempt.run;
    if (questions.length > 0) return { kind: 'suspended', questions };
    const { text, steps, finishReason } = result;
    const told = { text, steps, finishReason, taskId: conversationId(task.args, taskId) };
    return { kind: 'answered', value: taskResult(told), task: endedTask(taskId, attempt.run) };
  }

  #named(name: string): Subagent | undefined {
    return this.parts.subagents.get(name);
  }
}

/** A sub-agent's run, or why there is no result. */
type Attempt = { readonly run: SubagentRun } | { readonly error: unknown };

function endedTask(taskId: string, { result }: SubagentRun): EndedTask {
  return { taskId, spend: { runId: result.runId, usage: result.usage } };
}

/** A task that goes on from an earlier one keeps its name. */
function conversationId({ mode, taskId: earlier }: TaskArgs, taskId: string): string {
  return mode === 'resume' && earlier !== undefined ? earlier : taskId;
}

/** Whether a resume of the lead would find the sub-agent where it stood. */
function isKept(task: Pick<SubagentRequest, 'lead' | 'taskId'>, subagent: Subagent): boolean {
  const { target, state } = task.lead.recorder;
  if (!target) return false;
  return homeOf({ ...task, subagent }) !== undefined || state.subagents?.[task.taskId] !== undefined;
}
