import { type ApprovalStore, expected } from '../contract/index.js';
import type { Observer } from '../ports/index.js';
import type { OnAgentDrift } from './execute-options.js';

/** Passed over in silence, a misspelt option (a `sessionID`, say) would be missed only in production. */
export function assertKnownOptions(call: string, options: object, known: readonly string[]): void {
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) throw expected(call, `one of the options ${known.join(', ')}`, option);
  }
}

/** The caller's signal, if there is one. */
export function abortSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined) return undefined;
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return value as AbortSignal;
  throw expected('signal', 'an AbortSignal', value);
}

/** `'unbounded'` (the default) or a positive integer. */
export function toolConcurrency(value: unknown): number {
  if (value === undefined || value === 'unbounded') return Number.POSITIVE_INFINITY;
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    throw expected('toolConcurrency', "a positive integer or 'unbounded'", value);
  }
  return value as number;
}

/** `'warn'` (the default), `'error'` or `'ignore'`. */
export function onAgentDrift(value: unknown): OnAgentDrift {
  if (value === undefined) return 'warn';
  if (value === 'warn' || value === 'error' || value === 'ignore') return value;
  throw expected('onAgentDrift', "'warn', 'error' or 'ignore'", value);
}

const OBSERVER_METHODS = [
  'run',
  'step',
  'modelCall',
  'toolCall',
  'save',
  'note',
] as const satisfies readonly (keyof Observer)[];

/** Refuses what is no observer, or has something else than a function where one has a method. */
export function checkedObserver(value: unknown): Observer | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) throw expected('observer', 'an observer', value);
  const observer = value as Observer;
  for (const method of OBSERVER_METHODS) {
    if (observer[method] !== undefined && typeof observer[method] !== 'function')
      throw expected(`observer.${method}`, 'a function', observer[method]);
  }
  if (OBSERVER_METHODS.every((method) => observer[method] === undefined))
    throw expected('observer', `an object with one of the methods ${OBSERVER_METHODS.join(', ')}`, value);
  return observer;
}

/** Refuses what lacks a method of an approval store. */
export function checkedApprovalStore(store: ApprovalStore): ApprovalStore {
  for (const method of ['save', 'load', 'list', 'decide', 'delete'] as const) {
    if (typeof store[method] !== 'function')
      throw expected(`approvals.${method}`, 'a function', store[method]);
  }
  return store;
}
