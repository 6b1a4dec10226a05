import type { History, RecordedCall } from './recorded-call.js';

/** A lease and the checkpoint that it guards. The expiry is known only up to the length of a call and the skew of a clock. */
export interface LeaseRegister {
  readonly owner: string | null;
  readonly expiresFrom: number;
  readonly expiresUntil: number;
  readonly value: number | null;
  /** Equal for equal states. */
  readonly key: string;
}

export const FREE: LeaseRegister = register(null, 0, 0, null);

/**
 * The state behind a call that takes effect in `state`, or `null` where its answer could not be given then. A call whose answer is
 * unknown is taken as one that did what it could.
 */
export function effectOf(state: LeaseRegister, call: RecordedCall, history: History): LeaseRegister | null {
  const { operation } = call;
  switch (operation.kind) {
    case 'acquire':
      if (operation.answer === false) return mustBeHeld(state, operation.owner, call, history) ? state : null;
      return isGrantable(state, operation.owner, call, history)
        ? granted(state, operation.owner, call, history)
        : null;
    case 'renew':
      if ((state.owner === operation.owner) !== (operation.answer !== false)) return null;
      return operation.answer === false ? state : granted(state, operation.owner, call, history);
    case 'release':
      return state.owner === operation.owner ? register(null, 0, 0, state.value) : state;
    case 'save': {
      const isHeld = operation.owner === undefined || state.owner === operation.owner;
      if (isHeld !== (operation.answer !== false)) return null;
      return isHeld ? valued(state, operation.value) : state;
    }
    case 'load':
      return operation.answer === 'unknown' || operation.answer === state.value ? state : null;
    case 'delete':
      return register(null, 0, 0, null);
    default:
      return operation satisfies never;
  }
}

function isGrantable(state: LeaseRegister, owner: string, call: RecordedCall, history: History): boolean {
  if (state.owner === null || state.owner === owner) return true;
  if (call.returnedMs + history.skewMs >= state.expiresFrom + history.graceMs) return true;
  return (history.deaths?.get(state.owner) ?? Number.POSITIVE_INFINITY) <= call.returnedAt;
}

/** Refusing is legal only while somebody else could hold the id: a store that grants nothing keeps nobody apart. */
function mustBeHeld(state: LeaseRegister, owner: string, call: RecordedCall, history: History): boolean {
  if (state.owner === null || state.owner === owner) return false;
  return call.calledMs - history.skewMs < state.expiresUntil + history.graceMs;
}

function granted(
  state: LeaseRegister,
  owner: string,
  call: RecordedCall,
  { skewMs }: History,
): LeaseRegister {
  const { operation } = call;
  const ttlMs = 'ttlMs' in operation ? operation.ttlMs : 0;
  // The instant inside the call at which the expiry was counted from is not known.
  return register(owner, call.calledMs + ttlMs - skewMs, call.returnedMs + ttlMs + skewMs, state.value);
}

function register(
  owner: string | null,
  expiresFrom: number,
  expiresUntil: number,
  value: number | null,
): LeaseRegister {
  const key = `${owner ?? ''} ${expiresFrom} ${expiresUntil} ${value ?? ''}`;
  return { owner, expiresFrom, expiresUntil, value, key };
}

function valued({ owner, expiresFrom, expiresUntil }: LeaseRegister, value: number): LeaseRegister {
  return register(owner, expiresFrom, expiresUntil, value);
}
