import { SDKError, type SessionStore, type ToolCall } from '../../contract/index.js';
import { argsOf } from '../../run/call-args.js';
import { collectedAnswer } from '../../run/collected-answer.js';
import type { EndedTask } from '../../run/delegation.js';
import { isTaskCall, taskCallOf, taskIdOf, tasksOfRun } from '../../run/task-key.js';
import { taskResult } from '../../run/task-result.js';
import { BackgroundTasks } from './background-tasks.js';
import { Conversations } from './conversations.js';
import type { BackgroundTask, LeadRun, LeadScope, TaskOutcome, Tasks } from './delegates.js';
import { Places } from './places.js';
import { removeTask } from './remove-tasks.js';
import { homeOf, runSubagent, type SubagentRequest, type SubagentRun } from './run-subagent.js';
import type { Subagent } from './subagent.js';
import { isToldToModel } from './task-failure.js';
import { AWAIT, CANCEL, STATUS, TASK, type TaskArgs, type TaskRef } from './task-tools.js';

export interface TasksParts {
  readonly subagents: ReadonlyMap<string, Subagent>;
  readonly scope: LeadScope;
  readonly maxDepth: number;
  readonly maxConcurrent: number;
  readonly awaitBackgroundOnFinish: boolean;
  readonly sessions: SessionStore | undefined;
}

/** The tasks of one run of a lead. */
export class SubagentTasks implements Tasks {
  readonly #places: Places;
  readonly #conversations: Conversations;
  readonly #background = new BackgroundTasks();
  readonly #awaited = new Set<string>();

  constructor(readonly parts: TasksParts) {
    this.#places = new Places(parts.maxConcurrent);
    this.#conversations = new Conversations(parts.sessions);
  }

  call(lead: LeadRun, call: ToolCall, args: unknown): Promise<TaskOutcome> | undefined {
    switch (call.function.name) {
      case TASK:
        return this.#task(lead, call, args as TaskArgs);
      case STATUS:
        return this.#status(lead, args as TaskRef);
      case AWAIT:
        return this.#awaitAlone(lead, call, (args as Required<TaskRef>).taskId);
      case CANCEL:
        return this.#cancel(lead, (args as Required<TaskRef>).taskId);
      default:
        return undefined;
    }
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
    if (this.parts.awaitBackgroundOnFinish) await this.#background.settled(lead.stop);
    await this.#background.cancelAll();
    // What nobody waited for may still be a reason not to go on.
    await this.#background.assertNoneRejected();
    // An earlier process may have begun tasks that nobody waited for, or died before it could clear up behind one.
    const isResumed = lead.recorder.target?.stored?.runId === lead.recorder.state.runId;
    const tasks = tasksOfRun(lead.recorder.state);
    await this.forget(lead, isResumed ? tasks : tasks.filter((taskId) => this.#begunBefore(lead, taskId)));
  }

  async close(): Promise<void> {
    await this.#background.cancelAll();
  }

  inBackground(): readonly BackgroundTask[] {
    return this.#background.list();
  }

  async #task(lead: LeadRun, call: ToolCall, args: TaskArgs): Promise<TaskOutcome> {
    const taskId = taskIdOf(lead.recorder.state.messages, call);
    const task = { lead, call, args, taskId };
    if (!args.background) return this.#outcome(task, await this.#attempt({ ...task, signal: lead.stop }));
    const { agent, description } = args;
    this.#background.start({ taskId, agentName: agent, description }, lead.stop, (signal) =>
      this.#attempt({ ...task, signal }),
    );
    return { kind: 'answered', value: `The task runs in the background. [taskId: ${taskId}]` };
  }

  /** Two that wait for one task at once would count it twice, and ask a person twice. */
  async #awaitAlone(lead: LeadRun, call: ToolCall, taskId: string): Promise<TaskOutcome> {
    if (this.#awaited.has(taskId)) {
      const message = `task ${taskId} is waited for by another call`;
      return { kind: 'failed', error: new SDKError('LOUSHO_SUBAGENT_TASK_BUSY', message) };
    }
    this.#awaited.add(taskId);
    try {
      return await this.#await(lead, call, taskId);
    } finally {
      this.#awaited.delete(taskId);
    }
  }

  async #await(lead: LeadRun, call: ToolCall, taskId: string): Promise<TaskOutcome> {
    const { messages } = lead.recorder.state;
    const collected = collectedAnswer(messages, taskId);
    if (collected !== undefined) return { kind: 'answered', value: collected };
    const begun = this.#begunBefore(lead, taskId);
    if (!begun) return notFound(taskId);
    const task = { lead, call, args: begun, taskId };
    const going = this.#background.outcomeOf(taskId);
    if (!going) {
      // It was cut off with the process that ran it, or it waited for a person meanwhile: it goes on here.
      return this.#outcome(task, await this.#attempt({ ...task, signal: lead.stop }));
    }
    const attempt = await going;
    const isWaiting = 'run' in attempt && attempt.run.questions.length > 0;
    if (!isWaiting) return this.#outcome(task, attempt);
    this.#background.leave(taskId);
    return this.#outcome(task, withCall(attempt, call));
  }

  async #status(lead: LeadRun, { taskId }: TaskRef): Promise<TaskOutcome> {
    const tasks = this.#background.list();
    if (taskId === undefined) return { kind: 'answered', value: tasks };
    const found = tasks.find((task) => task.taskId === taskId);
    if (found) return { kind: 'answered', value: found };
    const begun = this.#begunBefore(lead, taskId);
    if (!begun) return notFound(taskId);
    const { agent: agentName, description } = begun;
    return { kind: 'answered', value: { taskId, agentName, description, status: 'interrupted' } };
  }

  async #cancel(lead: LeadRun, taskId: string): Promise<TaskOutcome> {
    if (!this.#begunBefore(lead, taskId)) return notFound(taskId);
    await this.#background.cancel(taskId);
    return { kind: 'answered', value: `Task ${taskId} is not running any more.`, task: { taskId } };
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

  /** What the model asked for when it began the task in the background. */
  #begunBefore(lead: LeadRun, taskId: string): TaskArgs | undefined {
    const call = taskCallOf(lead.recorder.state.messages, taskId);
    if (!call || !isTaskCall(call)) return undefined;
    const args = argsOf(call) as unknown as TaskArgs;
    return args.background && this.#named(args.agent) ? args : undefined;
  }

  #named(name: string): Subagent | undefined {
    return this.parts.subagents.get(name);
  }
}

/** A sub-agent's run, or why there is no result. */
export type Attempt = { readonly run: SubagentRun } | { readonly error: unknown };

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

/** The questions of a task in the background are those of the call that waits for it. */
function withCall(attempt: { readonly run: SubagentRun }, call: ToolCall): Attempt {
  const questions = attempt.run.questions.map((question) => ({
    ...question,
    call,
    suspension: { ...question.suspension, toolCallId: call.id, toolName: call.function.name },
  }));
  return { run: { ...attempt.run, questions } };
}

function notFound(taskId: string): TaskOutcome {
  const error = new SDKError(
    'LOUSHO_SUBAGENT_TASK_NOT_FOUND',
    `there is no task ${taskId} in the background`,
  );
  return { kind: 'failed', error };
}
