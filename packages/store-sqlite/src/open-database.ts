import Sqlite, { type Database } from 'better-sqlite3';
import { prepareFile } from './database-file.js';
import { BLOCKING_WAIT_MS, withBlockingLockWait } from './lock-wait.js';
import { assertCompatible, migrate } from './migrate.js';

export const MEMORY = ':memory:';

/** A fourth of SQLite's default: a small database does not carry a log of 4 MB. */
const WAL_PAGES = 256;
const WAL_LIMIT_BYTES = 1024 * 1024;
const LONGEST_BLOCKING_OPEN_MS = 1_000;

/** Opens, checks, configures and migrates; nothing is written before the check, and nothing stays open after a failure. */
export function openDatabase(
  path: string,
  options: { synchronous: 'full' | 'normal'; busyTimeoutMs: number },
): Database {
  const db = new Sqlite(path === MEMORY ? MEMORY : prepareFile(path), { timeout: BLOCKING_WAIT_MS });
  try {
    const timeoutMs = Math.min(options.busyTimeoutMs, LONGEST_BLOCKING_OPEN_MS);
    withBlockingLockWait(() => assertCompatible(db, path), timeoutMs);
    withBlockingLockWait(() => configure(db, options.synchronous), timeoutMs);
    withBlockingLockWait(() => migrate(db, path), timeoutMs);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function configure(db: Database, synchronous: 'full' | 'normal'): void {
  db.pragma('journal_mode = WAL');
  // Set explicitly: better-sqlite3 is built with NORMAL for databases in WAL mode.
  db.pragma(`synchronous = ${synchronous}`);
  // macOS: an fsync reaches the drive's cache only; no effect elsewhere.
  db.pragma(`fullfsync = ${synchronous === 'full' ? 1 : 0}`);
  db.pragma(`checkpoint_fullfsync = ${synchronous === 'full' ? 1 : 0}`);
  db.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
  db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
}
