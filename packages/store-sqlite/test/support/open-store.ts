import { SqliteStore, type SqliteStoreOptions } from '@lousho/store-sqlite';
import { onTestFinished } from 'vitest';

/** A store that is closed when the test has finished. */
export function openStore(path: string, options?: SqliteStoreOptions): SqliteStore {
  const store = new SqliteStore(path, options);
  onTestFinished(() => store.close());
  return store;
}
