import { SDKError } from '@lousho/core/contract';

/** The part of the Web Storage interface that is used: `localStorage`, `sessionStorage`, or anything shaped like them. */
export interface WebStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** `null` removes. */
export type WebStorageChange = readonly [key: string, value: string | null];

export function keysOf(storage: WebStorage): string[] {
  const keys: string[] = [];
  for (let index = 0; index < storage.length; index++) {
    const key = storage.key(index);
    if (key !== null) keys.push(key);
  }
  return keys;
}

/**
 * Makes all changes or none. Web Storage changes one key at a time, so what was made is taken back when a later change is refused;
 * what fitted before fits again. Throws `LOUSHO_STORAGE_FULL` when the quota is reached.
 */
export function applyAll(storage: WebStorage, changes: readonly WebStorageChange[]): void {
  const before: WebStorageChange[] = [];
  try {
    for (const [key, value] of changes) {
      const old = storage.getItem(key);
      set(storage, [key, value]);
      before.unshift([key, old]);
    }
  } catch (error) {
    undo(storage, before);
    throw isQuotaError(error)
      ? new SDKError('LOUSHO_STORAGE_FULL', 'Web Storage: the quota is reached', { cause: error })
      : error;
  }
}

function undo(storage: WebStorage, before: readonly WebStorageChange[]): void {
  try {
    for (const change of before) set(storage, change);
  } catch (cause) {
    // Another tab took the room meanwhile.
    throw new SDKError(
      'LOUSHO_STORE_OUTCOME_UNKNOWN',
      'Web Storage: a refused save could not be taken back',
      {
        cause,
      },
    );
  }
}

function set(storage: WebStorage, [key, value]: WebStorageChange): void {
  if (value === null) storage.removeItem(key);
  else storage.setItem(key, value);
}

/** Browsers disagree: the standard name, Firefox's own name, and old ones that have only a number. */
function isQuotaError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code } = error as { name?: unknown; code?: unknown };
  return (
    name === 'QuotaExceededError' || name === 'NS_ERROR_DOM_QUOTA_REACHED' || code === 22 || code === 1014
  );
}
