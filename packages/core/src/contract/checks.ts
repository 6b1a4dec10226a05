import type { PruneOptions } from './agent-store.js';
import { expected } from './errors.js';

/** Longest lease that is taken for intended: a year. */
const MAX_TTL_MS = 365 * 24 * 3_600_000;
const MAX_OWNER = 200;

export function positiveInteger(field: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    throw expected(field, 'a positive integer', value);
  }
  return value as number;
}

export function wholeNumber(field: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw expected(field, 'a whole number >= 0', value);
  }
  return value as number;
}

/** Milliseconds > 0, rounded up to a whole one: servers refuse fractions. */
export function ttl(field: string, value: unknown): number {
  if (typeof value !== 'number' || !(value > 0) || value > MAX_TTL_MS) {
    throw expected(field, `a number of milliseconds above 0 and at most ${MAX_TTL_MS}`, value);
  }
  return Math.ceil(value);
}

export function owner(value: unknown): string {
  if (typeof value !== 'string' || value.length === 0 || value.length > MAX_OWNER) {
    throw expected('owner', `a string of 1-${MAX_OWNER} characters`, value);
  }
  return value;
}

export function record(field: string, value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw expected(field, 'an object', value);
  }
  return value;
}

/** How many saves a store keeps per id: the default of every bundled store. */
export const DEFAULT_HISTORY_LIMIT = 50;

export function historyLimit(value: unknown): number {
  return value === undefined ? DEFAULT_HISTORY_LIMIT : wholeNumber('historyLimit', value);
}

/** The age in milliseconds of a prune that may be carried out. Every store asks before it touches anything. */
export function pruneAge(options: PruneOptions): number {
  // A caller without types may pass anything.
  const { olderThanMs, status } = (options ?? {}) as { readonly [Name in keyof PruneOptions]?: unknown };
  if (typeof olderThanMs !== 'number' || !Number.isFinite(olderThanMs) || olderThanMs < 0) {
    throw expected('olderThanMs', 'a finite number of milliseconds >= 0', olderThanMs);
  }
  if (status !== undefined && status !== 'finished') {
    throw expected('status', '`finished`, since no prune removes a run that is not over,', status);
  }
  return olderThanMs;
}
