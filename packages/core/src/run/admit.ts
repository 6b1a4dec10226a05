import { type Checkpoint, type Message, statusOf } from '../contract/index.js';
import { followUpRun, newRun, type RunSettings, resumedRun } from './begin-run.js';
import { newInputAfterFinish, newInputForUnfinished, withoutSystem } from './input.js';
import type { RunState } from './run-state.js';

/** How a call on a session id begins, given what is stored under it. */
export type Admission =
  | { readonly kind: 'run'; readonly state: RunState; readonly isResumed: boolean }
  /** Nothing to do: the stored run has finished and no input came. */
  | { readonly kind: 'finished'; readonly stored: Checkpoint }
  | { readonly kind: 'awaiting-approval'; readonly stored: Checkpoint }
  /** Nothing is stored and no input came, or nothing but a system message. */
  | { readonly kind: 'nothing' };

/** Decides by the stored status. Called with what was read under the lease, so that nothing can change in between. */
export function admit(
  stored: Checkpoint | null,
  input: readonly Message[],
  settings: RunSettings,
): Admission {
  const said = stored !== null && settings.ifAbsent ? [] : withoutSystem(input);
  if (stored === null) {
    return said.length === 0
      ? { kind: 'nothing' }
      : { kind: 'run', state: newRun(withOwnSystem(settings, input), said), isResumed: false };
  }
  const status = statusOf(stored);
  switch (status) {
    case 'awaiting-approval':
      return { kind: 'awaiting-approval', stored };
    case 'finished': {
      const fresh = newInputAfterFinish(stored, said);
      if (fresh.length === 0) return { kind: 'finished', stored };
      return { kind: 'run', state: followUpRun(settings, stored, fresh), isResumed: false };
    }
    case 'in-progress': {
      const state = resumedRun(settings, stored);
      const fresh = newInputForUnfinished(state, said);
      const joined = fresh.length > 0 ? { ...state, messages: [...state.messages, ...fresh] } : state;
      return { kind: 'run', state: joined, isResumed: true };
    }
    default:
      return status satisfies never;
  }
}

/** A conversation brought in from elsewhere may carry its own system message; the agent's instructions come first. */
function withOwnSystem(settings: RunSettings, input: readonly Message[]): RunSettings {
  if (settings.systemPrompt) return settings;
  const own = input.find((message) => message.role === 'system');
  return own && typeof own.content === 'string' ? { ...settings, systemPrompt: own.content } : settings;
}
