import { type Checkpoint, type Message, statusOf } from '../contract/index.js';
import { followUpRun, newRun, type RunSettings, resumedRun } from './begin-run.js';
import { hasEnded } from './ended.js';
import { newInputAfterFinish, newInputForUnfinished, withoutSystem } from './input.js';
import type { RunState } from './run-state.js';

/** How a call on a session id begins, given what is stored under it. */
export type Admission =
  | RunAdmission
  /** Nothing to do: the stored run has finished and no input came. */
  | { readonly kind: 'finished'; readonly stored: Checkpoint }
  | { readonly kind: 'awaiting-approval'; readonly stored: Checkpoint }
  /** Nothing is stored and no input came, or nothing but a system message. */
  | { readonly kind: 'nothing' };

/** There is something to run. */
export type RunAdmission =
  | {
      readonly kind: 'new';
      readonly input: readonly Message[];
      /** Brought by a conversation from elsewhere; the agent's own instructions come first. */
      readonly ownSystem: string | undefined;
    }
  | { readonly kind: 'follow-up'; readonly stored: Checkpoint; readonly input: readonly Message[] }
  /** The input joins the unfinished run as far as it is new to it. */
  | { readonly kind: 'resume'; readonly stored: Checkpoint; readonly input: readonly Message[] };

/** Decides by the stored status. Called with what was read under the lease, so that nothing can change in between. */
export function admit(
  stored: Checkpoint | null,
  input: readonly Message[],
  { ifAbsent = false }: { readonly ifAbsent?: boolean } = {},
): Admission {
  const said = stored !== null && ifAbsent ? [] : withoutSystem(input);
  if (stored === null) {
    return said.length === 0 ? { kind: 'nothing' } : { kind: 'new', input: said, ownSystem: systemOf(input) };
  }
  const status = hasEnded(stored) ? 'finished' : statusOf(stored);
  switch (status) {
    case 'awaiting-approval':
      return { kind: 'awaiting-approval', stored };
    case 'finished': {
      const fresh = newInputAfterFinish(stored, said);
      return fresh.length === 0 ? { kind: 'finished', stored } : { kind: 'follow-up', stored, input: fresh };
    }
    case 'in-progress':
      return { kind: 'resume', stored, input: said };
    default:
      return status satisfies never;
  }
}

/** The state that an admitted run begins with. */
export function admittedState(admission: RunAdmission, settings: RunSettings): RunState {
  switch (admission.kind) {
    case 'new': {
      const systemPrompt = settings.systemPrompt || admission.ownSystem;
      return newRun({ ...settings, systemPrompt }, admission.input);
    }
    case 'follow-up':
      return followUpRun(settings, admission.stored, admission.input);
    case 'resume': {
      const state = resumedRun(settings, admission.stored);
      const fresh = newInputForUnfinished(state, admission.input);
      return fresh.length > 0 ? { ...state, messages: [...state.messages, ...fresh] } : state;
    }
    default:
      return admission satisfies never;
  }
}

function systemOf(input: readonly Message[]): string | undefined {
  const own = input.find((message) => message.role === 'system');
  return own && typeof own.content === 'string' ? own.content : undefined;
}
