import { isoTime, type LastError, SDKError } from '../contract/index.js';

/** Failures of a model call that a change is needed for, by what a provider's error calls itself. */
const FINAL_CATEGORIES: ReadonlySet<string> = new Set([
  'context-length-exceeded',
  'auth-failure',
  'quota-exceeded',
]);

/** What a checkpoint keeps of the error that ended an attempt. */
export function lastErrorOf(error: unknown, now: number): LastError {
  const code = error instanceof SDKError ? error.code : textField(error, 'code');
  const category = textField(error, 'category') ?? textField((error as Error | undefined)?.cause, 'category');
  return {
    message:
      error instanceof SDKError ? error.detail : error instanceof Error ? error.message : String(error),
    retryable: isRetryable(error),
    at: isoTime(now),
    ...(code !== undefined && { code }),
    ...(category !== undefined && { category }),
  };
}

/**
 * Whether the same attempt may succeed later: not after a refusal by the provider (HTTP 4xx but 408 and 429, context length,
 * authentication); everything that is not known to be final may.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof SDKError) return error.retryable;
  const category = textField(error, 'category');
  if (category !== undefined && FINAL_CATEGORIES.has(category)) return false;
  const status = statusField(error);
  if (status === undefined || status < 400 || status >= 500) return true;
  return status === 408 || status === 429;
}

function textField(value: unknown, field: string): string | undefined {
  const found =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
  return typeof found === 'string' ? found : undefined;
}

function statusField(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown };
  const found = status ?? statusCode;
  return typeof found === 'number' ? found : undefined;
}
