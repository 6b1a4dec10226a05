import { failureOf, isoTime, type LastError, mayPass, SDKError } from '../contract/index.js';

/** What a checkpoint keeps of the error that ended an attempt. */
export function lastErrorOf(error: unknown, now: number): LastError {
  const code = error instanceof SDKError ? error.code : codeField(error);
  const { category = failureOf((error as Error | undefined)?.cause).category, retryAfterMs } =
    failureOf(error);
  const retryable = isRetryable(error);
  return {
    message:
      error instanceof SDKError ? error.detail : error instanceof Error ? error.message : String(error),
    retryable,
    at: isoTime(now),
    ...(code !== undefined && { code }),
    ...(category !== undefined && { category }),
    ...(retryable && retryAfterMs !== undefined && { retryAt: isoTime(now + retryAfterMs) }),
  };
}

/** Whether the same attempt may succeed later; an error that says nothing of itself may. */
function isRetryable(error: unknown): boolean {
  return error instanceof SDKError ? error.retryable : mayPass(failureOf(error));
}

function codeField(error: unknown): string | undefined {
  const { code } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
