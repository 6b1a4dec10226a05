import { type ErrorCode, reasonOf, SDKError, type SDKErrorOptions } from '@lousho/core/contract';

/** Another connection holds a lock that this one needs. Nothing was done. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/** A page of the file is not what it should be. */
export function isCorrupt(error: unknown): boolean {
  return /^SQLITE_CORRUPT/.test(codeOf(error));
}

export function isNotDatabase(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_NOTADB';
}

/** The coded error for what SQLite or the file system under it reported; `undefined` for an error of neither. */
export function codedError(error: unknown, place: string): SDKError | undefined {
  const code = codeOf(error);
  const reason = reasonOf(error);
  if (code === 'ERR_DLOPEN_FAILED' || reason.startsWith('Could not locate the bindings file')) {
    return new SDKError(
      'LOUSHO_STORAGE_FAILED',
      `${place}: better-sqlite3 has no native part for this Node`,
      {
        ...WITHOUT_BINDING,
        cause: error,
      },
    );
  }
  const match = FACTS.find(([pattern]) => pattern.test(code === 'SQLITE_ERROR' ? reason : code));
  if (!match) return undefined;
  const [, coded, options] = match;
  return new SDKError(coded, `${place}: ${reason} (${code})`, { ...options, cause: error });
}

const WITHOUT_BINDING: SDKErrorOptions = {
  retryable: false,
  hint: 'Run `npm rebuild better-sqlite3` with install scripts allowed, and again after another version of Node.',
};

/** By code, or by the message of SQLite's general error. */
const FACTS: readonly (readonly [RegExp, ErrorCode, SDKErrorOptions?])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'LOUSHO_STORAGE_BUSY'],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)$/, 'LOUSHO_STORAGE_FULL'],
  [/^(SQLITE_READONLY.*|SQLITE_PERM|EACCES|EPERM|EROFS)$/, 'LOUSHO_STORAGE_READ_ONLY'],
  [/^SQLITE_NOTADB$/, 'LOUSHO_STORAGE_INCOMPATIBLE'],
  [/^SQLITE_TOOBIG$/, 'LOUSHO_CHECKPOINT_TOO_LARGE'],
  // The pages were written, but not confirmed: after a crash they may turn out to be there.
  [/^SQLITE_IOERR_(DIR_)?FSYNC$/, 'LOUSHO_STORE_OUTCOME_UNKNOWN'],
  [
    /^no such (table|column)/,
    'LOUSHO_STORAGE_FAILED',
    {
      retryable: false,
      hint: 'Tables of the store were changed or removed. Restore the file from a backup, or name another one.',
    },
  ],
  [
    /^SQLITE_CORRUPT/,
    'LOUSHO_STORAGE_FAILED',
    {
      retryable: false,
      hint: 'The database file is damaged. Restore it from a backup, or recover it with the sqlite3 shell.',
    },
  ],
];

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}
