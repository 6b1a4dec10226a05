import { type ProviderFailure, ProviderRequestError, SDKError } from '@lousho/core/contract';
import { retryAfterMs } from './retry-after.js';

/** What a model threw, or told in its stream, as core judges it: with status, category and the wait that was asked for. */
export function requestError(
  thrown: unknown,
  { provider, now }: { provider: string; now: number },
): SDKError {
  if (thrown instanceof SDKError) return thrown;
  const error = lastTry(thrown);
  const facts = factsOf(error);
  const wait = retryAfterMs(facts.headers, now);
  const category = categoryOf(facts);
  const failure: ProviderFailure = {
    ...(facts.status !== undefined && { status: facts.status }),
    ...(category !== undefined && { category }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
  return new ProviderRequestError(`provider ${provider}: ${facts.message}`, {
    ...failure,
    cause: thrown,
    ...(isFinal(facts) && { retryable: false }),
  });
}

/** A model that tries again by itself throws a list of what happened. */
function lastTry(thrown: unknown): unknown {
  return (thrown as { lastError?: unknown } | null)?.lastError ?? thrown;
}

interface Facts {
  readonly name: string;
  readonly message: string;
  /** The response as it came; a vendor that no package knows says there what it has to say. */
  readonly body: string;
  readonly status: number | undefined;
  /** What the vendor calls the error, and what the operating system does. */
  readonly words: readonly string[];
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Reads an `APICallError`, any other error, or the error object of a stream. Nothing of it is taken for granted. */
function factsOf(error: unknown): Facts {
  const { name, message, statusCode, responseHeaders, responseBody, data, cause } = record(error);
  const vendor = record(record(data).error ?? data ?? record(error).error ?? error);
  const words = [vendor.code, vendor.type, vendor.status, record(cause).code, name];
  const text = [message, vendor.message].find((value) => typeof value === 'string' && value !== '');
  return {
    name: typeof name === 'string' ? name : '',
    message: typeof text === 'string' ? text : typeof error === 'string' ? error : 'the model call failed',
    body: typeof responseBody === 'string' ? responseBody : '',
    status: [statusCode, vendor.code, vendor.status].find(isErrorStatus),
    words: words.filter((word) => typeof word === 'string'),
    headers: record(responseHeaders),
  };
}

/** Words of OpenAI, Anthropic and Google, and of gateways that speak like them. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(context_length_exceeded|string_above_max_length|request_too_large)$/, 'context-length-exceeded'],
  [/^(insufficient_quota|billing_hard_limit_reached|billing_error)$/, 'quota-exceeded'],
  [
    /^(invalid_api_key|authentication_error|permission_error|UNAUTHENTICATED|PERMISSION_DENIED|AI_LoadAPIKeyError)$/,
    'auth-failure',
  ],
  [/^(rate_limit_exceeded|rate_limit_error|RESOURCE_EXHAUSTED)$/, 'rate-limit'],
  [/^(TimeoutError|ETIMEDOUT|UND_ERR_\w+_TIMEOUT|timeout_error|DEADLINE_EXCEEDED)$/, 'timeout'],
];

/** How vendors without a word for it say that a request is too long. */
const TOO_LONG = /maximum context length|context window|prompt is too long|input token count.*exceeds/i;

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'auth-failure',
  402: 'quota-exceeded',
  403: 'auth-failure',
  408: 'timeout',
  413: 'context-length-exceeded',
  429: 'rate-limit',
  504: 'timeout',
};

function categoryOf({ words, status, message, body }: Facts): string | undefined {
  const known = WORDS.find(([pattern]) => words.some((word) => pattern.test(word)));
  if (known) return known[1];
  if (
    (status === undefined || status === 400 || status === 422) &&
    [message, body].some((text) => TOO_LONG.test(text))
  )
    return 'context-length-exceeded';
  return status === undefined ? undefined : BY_STATUS[status];
}

/** Errors without a status that only a change of the program, or of the request, can help. */
const FINAL =
  /^AI_(LoadAPIKey|LoadSetting|UnsupportedFunctionality|NoSuchModel|InvalidPrompt|InvalidArgument)Error$/;

function isFinal({ name, status, words }: Facts): boolean {
  return FINAL.test(name) || (status === undefined && words.includes('invalid_request_error'));
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value < 600;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
