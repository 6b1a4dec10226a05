import { SDKError, type SDKErrorOptions } from './errors.js';

/** What is known of a model call that failed. Also the fields that are read from any error that a provider throws. */
export interface ProviderFailure {
  /** Of the HTTP response. */
  readonly status?: number;
  /** `rate-limit`, `timeout`, `context-length-exceeded`, `quota-exceeded`, `auth-failure`, or a word of the provider's own. */
  readonly category?: string;
  /** How long the provider asked not to be asked again, in milliseconds. Negative, or more than a year: as if it had not asked. */
  readonly retryAfterMs?: number;
}

/**
 * A model call failed; `cause` is the provider's own error. A provider may throw it itself, and any other error that it throws becomes
 * one. `retryable` follows from status and category unless it is given.
 */
export class ProviderRequestError extends SDKError {
  readonly status: number | undefined;
  readonly category: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(detail: string, options: SDKErrorOptions & ProviderFailure = {}) {
    super('LOUSHO_PROVIDER_REQUEST_FAILED', detail, {
      ...options,
      retryable: options.retryable ?? mayPass(options),
    });
    this.status = options.status;
    this.category = options.category;
    this.retryAfterMs = isWait(options.retryAfterMs) ? options.retryAfterMs : undefined;
  }
}

/** A year: a longer wait is a broken header, and would not be an instant that can be written down. */
const MAX_RETRY_AFTER_MS = 365 * 86_400_000;

/** The fields that an error says of itself; what is not of their kind is left out. */
export function failureOf(error: unknown): ProviderFailure {
  if (typeof error !== 'object' || error === null) return {};
  const { status: own, statusCode, category, retryAfterMs } = error as Record<string, unknown>;
  const status = own ?? statusCode;
  return {
    ...(typeof status === 'number' && { status }),
    ...(typeof category === 'string' && { category }),
    ...(isWait(retryAfterMs) && { retryAfterMs }),
  };
}

/** Categories that a change is needed for. */
const FINAL_CATEGORIES: ReadonlySet<string> = new Set([
  'context-length-exceeded',
  'auth-failure',
  'quota-exceeded',
]);

/**
 * Whether the same call may succeed later: not after a refusal by the provider (HTTP 4xx but 408 and 429, context length,
 * authentication, quota); everything that is not known to be final may.
 */
export function mayPass({ status, category }: ProviderFailure): boolean {
  if (category !== undefined && FINAL_CATEGORIES.has(category)) return false;
  if (status === undefined || status < 400 || status >= 500) return true;
  return status === 408 || status === 429;
}

function isWait(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_RETRY_AFTER_MS;
}
