import { type ErrorCode, SDKError, type SDKErrorOptions } from '@lousho/core/contract';

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
  const match = FACTS.find(([pattern]) => pattern.test(code));
  if (!match) return undefined;
  const [, coded, options] = match;
  const reason = error instanceof Error ? error.message : String(error);
  return new SDKError(coded, `${place}: ${reason} (${code})`, { ...options, cause: error });
}

const FACTS: readonly (readonly [RegExp, ErrorCode, SDKErrorOptions?])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'LOUSHO_STORAGE_BUSY'],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)$/, 'LOUSHO_STORAGE_FULL'],
  [/^(SQLITE_READONLY.*|SQLITE_PERM|EACCES|EPERM|EROFS)$/, 'LOUSHO_STORAGE_READ_ONLY'],
  [/^SQLITE_NOTADB$/, 'LOUSHO_STORAGE_INCOMPATIBLE'],
  [/^SQLITE_TOOBIG$/, 'LOUSHO_CHECKPOINT_TOO_LARGE'],
  // The pages were written, but not confirmed: after a crash they may turn out to be there.
  [/^SQLITE_IOERR_(DIR_)?FSYNC$/, 'LOUSHO_STORE_OUTCOME_UNKNOWN'],
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
