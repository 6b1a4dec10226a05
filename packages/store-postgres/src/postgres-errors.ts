import { type ErrorCode, SDKError, type SDKErrorOptions } from '@lousho/core/contract';
import { codeOf, StatementFailure } from './failure.js';

/** The coded error for what Postgres or the way to it reported. */
export function codedError(error: unknown, place: string): SDKError | undefined {
  if (!(error instanceof StatementFailure)) return undefined;
  const { cause, kind } = error;
  const code = codeOf(cause);
  const reason = `${place}: ${error.message}${code && ` (${code})`}`;
  if (kind === 'lost') return new SDKError('LOUSHO_STORE_OUTCOME_UNKNOWN', reason, { cause });
  const match = FACTS.find(([pattern]) => pattern.test(code || error.message));
  if (match) return new SDKError(match[1], reason, { ...match[2], cause });
  // Never sent: the same call may succeed once the server answers again.
  const isAway = kind === 'unavailable';
  return new SDKError('LOUSHO_STORAGE_FAILED', reason, { retryable: isAway, cause, ...(isAway && AWAY) });
}

/** The same for a call that only reads: nothing can have happened that the caller would have to find out. */
export function codedReadError(error: unknown, place: string): SDKError | undefined {
  if (!(error instanceof StatementFailure) || error.kind !== 'lost') return codedError(error, place);
  return new SDKError('LOUSHO_STORAGE_FAILED', `${place}: ${error.message}`, { cause: error.cause });
}

const AWAY: SDKErrorOptions = {
  hint: 'No connection could be had there: start the server, or correct host and port in the connection settings.',
};
const WRONG_LOGIN: SDKErrorOptions = {
  retryable: false,
  hint: 'Postgres refused the user: correct the name, the password or pg_hba.conf.',
};

/** By SQLSTATE, or by the message of what the client says itself, which has no code. */
const FACTS: readonly (readonly [RegExp, ErrorCode, SDKErrorOptions?])[] = [
  [/^(40001|40P01|55P03|57014|53[0234]00)$/, 'LOUSHO_STORAGE_BUSY'],
  [/^53100$/, 'LOUSHO_STORAGE_FULL'],
  [
    /^25006$/,
    'LOUSHO_STORAGE_READ_ONLY',
    { hint: 'The server takes no writes, as a standby does. Connect to the primary.' },
  ],
  [
    /^42501$/,
    'LOUSHO_STORAGE_READ_ONLY',
    { hint: 'Make the role the owner of the schema and its tables, as the README of the package shows.' },
  ],
  [/^54000$/, 'LOUSHO_CHECKPOINT_TOO_LARGE'],
  [/^28|SASL|password must be a string/, 'LOUSHO_STORAGE_FAILED', WRONG_LOGIN],
  [
    /does not support SSL/,
    'LOUSHO_STORAGE_FAILED',
    {
      retryable: false,
      hint: 'Switch TLS on at the server, or leave `ssl` and `sslmode` out of the connection settings.',
    },
  ],
  [
    /^3D000$/,
    'LOUSHO_STORAGE_FAILED',
    { retryable: false, hint: 'Create the database first, or correct its name in the connection settings.' },
  ],
  [
    /^(3F000|42P01|42703)$/,
    'LOUSHO_STORAGE_FAILED',
    {
      retryable: false,
      hint: 'Tables of the store were changed or removed. Restore them from a backup, or name another schema.',
    },
  ],
  [
    /^XX/,
    'LOUSHO_STORAGE_FAILED',
    { retryable: false, hint: 'Postgres reports damaged data. Look at its log and restore from a backup.' },
  ],
];
