import type { StandardResult, Tool } from '../../ports/index.js';

/** The arguments of `task`, as validated. */
export interface TaskArgs {
  readonly agent: string;
  readonly prompt: string;
  readonly description: string;
  readonly background: boolean;
  readonly mode: 'new' | 'resume' | 'fork';
  readonly taskId?: string;
}

/** The arguments of the tools about tasks that run beside the lead. */
export interface TaskRef {
  readonly taskId?: string;
}

export const TASK = 'task';
export const STATUS = 'agent_status';
export const AWAIT = 'agent_await';
export const CANCEL = 'agent_cancel';

/** The built-in tools by which a model asks other agents. The executor carries their calls out itself. */
export function taskTools(
  subagents: readonly { readonly name: string; readonly description: string }[],
): readonly Tool[] {
  const names = subagents.map(({ name }) => name);
  const described = subagents.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
  return [
    builtIn({
      name: TASK,
      description: `Give a task to another agent and get its answer. It knows nothing but the prompt. The agents:\n${described}`,
      properties: {
        agent: { type: 'string', enum: names, description: 'Which agent' },
        prompt: { type: 'string', description: 'The whole task, with everything the agent has to know' },
        description: { type: 'string', description: 'The task in a few words' },
        background: { type: 'boolean', description: `Do not wait for it; ask with ${AWAIT} later` },
        mode: {
          type: 'string',
          enum: ['new', 'resume', 'fork'],
          description: 'Begin anew (default), or go on from the end of an earlier task, in it or in a copy',
        },
        taskId: { type: 'string', description: 'The earlier task, for resume and fork' },
      },
      required: ['agent', 'prompt', 'description'],
      read: (given) => taskArgs(given, names),
    }),
    builtIn({
      name: STATUS,
      description: 'Say how tasks in the background stand: one, or all.',
      properties: { taskId: { type: 'string', description: 'Which task; default all' } },
      required: [],
      read: (given) => taskRef(given, false),
    }),
    builtIn({
      name: AWAIT,
      description: 'Wait for a task in the background and get its answer.',
      properties: { taskId: { type: 'string', description: 'Which task' } },
      required: ['taskId'],
      read: (given) => taskRef(given, true),
    }),
    builtIn({
      name: CANCEL,
      description: 'Stop a task in the background.',
      properties: { taskId: { type: 'string', description: 'Which task' } },
      required: ['taskId'],
      read: (given) => taskRef(given, true),
    }),
  ];
}

type Given = Readonly<Record<string, unknown>>;

function builtIn(tool: {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly read: (given: Given) => StandardResult<unknown>;
}): Tool {
  const { name, description, properties, required, read } = tool;
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    // The agents are compared themselves.
    isTransient: true,
    input: {
      '~standard': { version: 1, vendor: 'lousho', validate: (value) => read((value ?? {}) as Given) },
    },
    execute: () => {
      throw new Error(`${name} is carried out by the executor`);
    },
  };
}

/** `null` for what an option may be given instead of leaving it out: models do. */
function taskArgs(given: Given, names: readonly string[]): StandardResult<TaskArgs> {
  const { agent, prompt, description, background, mode, taskId } = given;
  if (typeof agent !== 'string' || !names.includes(agent))
    return fault('agent', `one of ${names.join(', ')}`);
  if (typeof prompt !== 'string' || prompt === '') return fault('prompt', 'a text');
  if (typeof description !== 'string') return fault('description', 'a text');
  if (!isAbsent(background) && typeof background !== 'boolean') return fault('background', 'a boolean');
  if (!isAbsent(mode) && mode !== 'new' && mode !== 'resume' && mode !== 'fork')
    return fault('mode', 'new, resume or fork');
  if (!isAbsent(taskId) && typeof taskId !== 'string') return fault('taskId', 'a text');
  const wanted = (mode ?? 'new') as TaskArgs['mode'];
  if (wanted !== 'new' && !taskId) return fault('taskId', `the task to ${wanted}`);
  return {
    value: {
      agent,
      prompt,
      description,
      background: background === true,
      mode: wanted,
      ...(wanted !== 'new' && { taskId: taskId as string }),
    },
  };
}

function taskRef({ taskId }: Given, isNeeded: boolean): StandardResult<TaskRef> {
  if (typeof taskId === 'string' && taskId !== '') return { value: { taskId } };
  if (isAbsent(taskId) && !isNeeded) return { value: {} };
  return fault('taskId', "a task's id");
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function fault(field: string, wanted: string): { issues: readonly { message: string; path: string[] }[] } {
  return { issues: [{ message: `Expected ${wanted}`, path: [field] }] };
}
