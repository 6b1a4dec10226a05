import { SDKError } from '@lousho/core/contract';
import { Violation } from '../model/violation.js';
import { same } from './same.js';
import { show } from './show.js';

/** Holds a store to one promise: `what` says what was promised, `seen` what there is instead. */
export function promise(what: string, isKept: boolean, seen: unknown): void {
  if (!isKept) throw new Violation(what, typeof seen === 'string' ? seen : show(seen));
}

/** Promises a value, compared as a reader would. */
export function promiseSame(what: string, seen: unknown, wanted: unknown): void {
  if (!same(seen, wanted)) throw new Violation(`${what}: ${show(wanted)}`, show(seen));
}

/** Promises that an answer is granted: a lease, or `true`. */
export function promiseGranted(what: string, answer: unknown): void {
  promise(what, answer !== false && answer !== null && answer !== undefined, answer);
}

/** Promises that a call rejects with a code. */
export async function promiseRefusal(
  what: string,
  code: string,
  call: () => Promise<unknown>,
): Promise<void> {
  const seen = await refusalOf(call);
  promise(`${what} is refused with ${code}`, seen === code, seen);
}

/** The code with which a call rejects, or what it did instead. */
export async function refusalOf(call: () => Promise<unknown>): Promise<string> {
  const error = await errorOf(call);
  if (error === undefined) return 'the call succeeded';
  return error instanceof SDKError ? error.code : `an error without a code: ${show(error)}`;
}

/** What a call rejects with; `undefined` when it succeeds. */
export async function errorOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error ?? new Error(`${error} was thrown`);
  }
}
