import { expected, positiveInteger, type SessionStore } from '../../contract/index.js';
import { assertKnownOptions } from '../option-checks.js';
import { checkSubagents } from './check-subagents.js';
import type { Delegates } from './delegates.js';
import type { Subagent } from './subagent.js';
import { SubagentTasks } from './subagent-tasks.js';
import { taskTools } from './task-tools.js';

export interface SubagentOptions {
  /** Sub-agents of one run that work at the same time; further ones wait. Default 3. */
  readonly maxConcurrent?: number;
  /** A run that is about to finish waits for its tasks in the background. Default: they are cancelled. */
  readonly awaitBackgroundOnFinish?: boolean;
  /**
   * Where the conversations of finished tasks are kept, so that a later task can go on from one. Default: nowhere; then only tasks of the
   * same run can be gone on from, while it runs in this process.
   */
  readonly sessions?: SessionStore;
}

export interface SubagentsSettings extends SubagentOptions {
  /** How deep sub-agents may delegate on: 1 lets only the lead. Default 1. */
  readonly maxDepth?: number;
}

export const DEFAULT_MAX_CONCURRENT = 3;
export const DEFAULT_MAX_DEPTH = 1;

const OPTIONS = [
  'maxConcurrent',
  'awaitBackgroundOnFinish',
  'sessions',
  'maxDepth',
] as const satisfies readonly (keyof SubagentsSettings)[];
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The agents that a lead may ask. Rejects wrong definitions and options at once, with `LOUSHO_CONFIG_INVALID`. */
export function subagents(definitions: readonly Subagent[], settings: SubagentsSettings = {}): Delegates {
  assertKnownOptions('subagentOptions', settings, OPTIONS);
  assertDefinitions(definitions);
  const { awaitBackgroundOnFinish = false, sessions } = settings;
  if (typeof awaitBackgroundOnFinish !== 'boolean')
    throw expected('subagentOptions.awaitBackgroundOnFinish', 'a boolean', awaitBackgroundOnFinish);
  const maxConcurrent = positiveInteger(
    'subagentOptions.maxConcurrent',
    settings.maxConcurrent ?? DEFAULT_MAX_CONCURRENT,
  );
  const ownDepth = positiveInteger('maxSubagentDepth', settings.maxDepth ?? DEFAULT_MAX_DEPTH);
  const named = new Map(definitions.map((subagent) => [subagent.name, subagent]));
  return {
    tools: taskTools(definitions),
    begin: (scope) =>
      new SubagentTasks({
        subagents: named,
        scope,
        maxDepth: scope.maxDepth ?? ownDepth,
        maxConcurrent,
        awaitBackgroundOnFinish,
        sessions,
      }),
    check: (scope, stored) => checkSubagents(named, scope, stored),
  };
}

function assertDefinitions(definitions: readonly Subagent[]): void {
  const names = new Set<string>();
  for (const [index, { name, description, durable }] of definitions.entries()) {
    const at = `subagents[${index}]`;
    if (typeof name !== 'string' || !NAME.test(name))
      throw expected(`${at}.name`, '1-64 characters of letters, digits, _ and -', name);
    if (names.has(name)) throw expected(`${at}.name`, 'a name of its own', name);
    if (typeof description !== 'string') throw expected(`${at}.description`, 'a string', description);
    if (durable !== undefined && typeof durable !== 'boolean')
      throw expected(`${at}.durable`, 'a boolean', durable);
    names.add(name);
  }
}
