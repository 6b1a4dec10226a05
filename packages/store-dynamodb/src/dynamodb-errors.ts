import { type ErrorCode, SDKError, type SDKErrorOptions } from '@lousho/core/contract';

/** What a failed request means for whoever sent it. */
export type Failure =
  /** The condition did not hold: an answer, not a fault. */
  | 'condition'
  /** Nothing was done; the same request may succeed a moment later. */
  | 'again'
  /** No reply: it may have been done, or may yet be. */
  | 'unanswered'
  /** No connection: it was not sent. */
  | 'unreachable'
  | 'fault';

const AGAIN = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'ThrottlingError',
  'ThrottledException',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'TransactionConflict',
  'TransactionInProgressException',
]);
const UNANSWERED = new Set([
  'TimeoutError',
  'AbortError',
  'RequestTimeout',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** A conflict or a throttled request never counts as a condition that did not hold. */
export function failureOf(error: unknown): Failure {
  const { name, code, message, CancellationReasons: reasons } = facts(error);
  if (name === 'ConditionalCheckFailedException') return 'condition';
  if (name === 'TransactionCanceledException') {
    const codes = (reasons ?? [])
      .map((reason) => reason.Code ?? 'None')
      .filter((reason) => reason !== 'None');
    if (codes.length > 0 && codes.every((reason) => AGAIN.has(reason))) return 'again';
    return codes.includes('ConditionalCheckFailed') ? 'condition' : 'fault';
  }
  if (AGAIN.has(name)) return 'again';
  if (UNREACHABLE.has(code) || UNREACHABLE.has(name)) return 'unreachable';
  if (UNANSWERED.has(name) || UNANSWERED.has(code) || message === 'socket hang up') return 'unanswered';
  const status = statusOf(error);
  if (status === undefined) return 'fault';
  return status >= 500 ? 'unanswered' : status === 429 ? 'again' : 'fault';
}

/** The coded error for what the service, or the way to it, reported; `undefined` for an error of neither. */
export function codedError(error: unknown, place: string): SDKError | undefined {
  const { name, code, message } = facts(error);
  if (message === NO_REGION)
    return new SDKError('LOUSHO_STORAGE_FAILED', `${place}: no region is named`, WITHOUT_REGION);
  const match = FACTS.find(([pattern]) => pattern.test(name) || pattern.test(code));
  const failure = failureOf(error);
  const coded = match?.[1] ?? BY_FAILURE[failure];
  if (coded === undefined) return undefined;
  // Only the error's name: a message of the service may quote the item, and with it a message's content.
  return new SDKError(coded, `${place}: ${code || name}`, {
    ...match?.[2],
    cause: error,
  });
}

/** What the client says, without a code, where it is told no region and finds none in the environment. */
const NO_REGION = 'Region is missing';
const WITHOUT_REGION: SDKErrorOptions = {
  retryable: false,
  hint: "Name the region in the client's configuration, or in AWS_REGION.",
};

const BY_FAILURE: Partial<Record<Failure, ErrorCode>> = {
  again: 'LOUSHO_STORAGE_BUSY',
  unanswered: 'LOUSHO_STORAGE_FAILED',
  unreachable: 'LOUSHO_STORAGE_FAILED',
};

const FACTS: readonly (readonly [RegExp, ErrorCode, SDKErrorOptions?])[] = [
  [
    /^ResourceNotFoundException$/,
    'LOUSHO_STORAGE_FAILED',
    {
      retryable: false,
      hint: 'The table is missing. Create it as the README says, or pass `createTable: true`.',
    },
  ],
  [
    /^(CredentialsProviderError|UnrecognizedClientException|InvalidSignatureException|ExpiredTokenException|MissingAuthenticationTokenException|IncompleteSignatureException|TokenProviderError)$/,
    'LOUSHO_STORAGE_FAILED',
    { retryable: false, hint: 'The credentials are missing, wrong or expired. Give the process valid ones.' },
  ],
  [
    /^(AccessDeniedException|AccessDenied)$/,
    'LOUSHO_STORAGE_READ_ONLY',
    {
      hint: 'The credentials lack a permission. Allow the actions that the README lists on the table and its index.',
    },
  ],
  [/^ItemCollectionSizeLimitExceededException$/, 'LOUSHO_STORAGE_FULL'],
  [
    /^ValidationException$/,
    'LOUSHO_STORAGE_INCOMPATIBLE',
    { hint: 'The service refused the request. Compare the keys and the index of the table with the README.' },
  ],
  [
    /^(AbortError|TimeoutError|ConnectTimeout|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/,
    'LOUSHO_STORAGE_FAILED',
    { hint: 'The endpoint did not answer in time. Look at the network, the region and the endpoint.' },
  ],
];

interface Facts {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

function facts(error: unknown): Facts {
  if (typeof error !== 'object' || error === null) return { name: '', code: '', message: '' };
  const { name, code, message, CancellationReasons } = error as Record<string, unknown>;
  return {
    name: typeof name === 'string' ? name : '',
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : '',
    ...(Array.isArray(CancellationReasons) && { CancellationReasons }),
  };
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;
}
