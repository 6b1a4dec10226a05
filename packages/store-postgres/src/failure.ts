import { reasonOf } from '@lousho/core/contract';

/**
 * What an error says about the statement that it ended:
 * - `conflict`: rolled back because of another transaction; the same statement may succeed at once.
 * - `unavailable`: never sent, because no connection could be had; a later one may.
 * - `lost`: sent, but the answer never came, so it may or may not have been done.
 * - `refused`: rolled back, and it would be again.
 */
export type FailureKind = 'conflict' | 'unavailable' | 'lost' | 'refused';

/** A statement that failed, with what that says. */
export class StatementFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    override readonly cause: unknown,
  ) {
    super(reasonOf(cause));
  }
}

export function whileConnecting(error: unknown): StatementFailure {
  const code = codeOf(error);
  // An answer of the server's to the attempt: wrong password, no such database.
  const isFinal = isSqlState(code) && !/^(57P|08|53)/.test(code);
  return new StatementFailure(isFinal || isUsersMistake(error) ? 'refused' : 'unavailable', error);
}

export function whileRunning(error: unknown): StatementFailure {
  const code = codeOf(error);
  if (code === '40001' || code === '40P01') return new StatementFailure('conflict', error);
  // 57P: the server ends the connection, perhaps between the commit and its acknowledgement.
  if (!isSqlState(code) || /^(57P0[1-5]|08)/.test(code)) return new StatementFailure('lost', error);
  return new StatementFailure('refused', error);
}

export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
}

/** What `pg` itself throws before it has asked anybody, or when the server does not speak as it was told to. */
function isUsersMistake(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    (error instanceof Error && /SASL|password must be a string|does not support SSL/.test(error.message))
  );
}
