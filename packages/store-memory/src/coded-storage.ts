import { expectedKind, reasonOf, SDKError } from '@lousho/core/contract';
import type { WebStorage } from './web-storage.js';

const NONE =
  'Pass localStorage or sessionStorage of a page, or an object with their methods. Outside of a browser use another store.';
const FORBIDDEN = 'Let the browser keep data for this page: private windows and blocked cookies forbid it.';

/**
 * The storage, whose refusal to a whole page has a code; that of a full one is left as it is. Throws `LOUSHO_CONFIG_INVALID` for what is no Web
 * Storage.
 */
export function codedStorage(storage: WebStorage, name: string): WebStorage {
  for (const method of ['key', 'getItem', 'setItem', 'removeItem'] as const) {
    if (typeof storage?.[method] !== 'function') {
      throw expectedKind('storage', 'a Web Storage, such as localStorage', storage, NONE);
    }
  }
  const coded = <T>(access: () => T): T => {
    try {
      return access();
    } catch (error) {
      throw isForbidden(error) ? forbidden(error, name) : error;
    }
  };
  return {
    get length() {
      return coded(() => storage.length);
    },
    key: (index) => coded(() => storage.key(index)),
    getItem: (key) => coded(() => storage.getItem(key)),
    setItem: (key, value) => coded(() => storage.setItem(key, value)),
    removeItem: (key) => coded(() => storage.removeItem(key)),
  };
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && error.name === 'SecurityError';
}

function forbidden(cause: unknown, name: string): SDKError {
  const detail = `${name}: the browser refused its storage: ${reasonOf(cause)}`;
  return new SDKError('LOUSHO_STORAGE_FAILED', detail, { retryable: false, hint: FORBIDDEN, cause });
}
