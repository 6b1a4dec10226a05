import { SDKError } from '@lousho/core/contract';
import type { Database } from 'better-sqlite3';
import { APPLICATION_ID, migrationsFrom, SCHEMA_VERSION } from './schema.js';
import { isNotDatabase } from './sqlite-errors.js';

/** Refuses, with `LOUSHO_STORAGE_INCOMPATIBLE` and without a write, a file that is not this package's or is too new. */
export function assertCompatible(db: Database, path: string): void {
  readCompatibleStamp(db, path);
}

/** Brings the schema up to date; of several processes that start at once, one does it and the others find it done. */
export function migrate(db: Database, path: string): void {
  if (db.pragma('user_version', { simple: true }) === SCHEMA_VERSION) return;
  db.transaction(() => {
    const { version } = readCompatibleStamp(db, path);
    db.exec(migrationsFrom(version));
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

function readCompatibleStamp(db: Database, path: string): DatabaseStamp {
  const stamp = readStamp(db, path);
  const reason = incompatibility(stamp);
  if (reason) throw new SDKError('LOUSHO_STORAGE_INCOMPATIBLE', `${path}: ${reason}`);
  return stamp;
}

/** What a database file says it is. */
interface DatabaseStamp {
  readonly applicationId: number;
  readonly version: number;
  readonly isEmpty: boolean;
}

/** Why this version cannot use the database; `null` when it can. */
function incompatibility(stamp: DatabaseStamp): string | null {
  const isOurs = stamp.applicationId === APPLICATION_ID;
  const isNew = stamp.applicationId === 0 && stamp.version === 0 && stamp.isEmpty;
  if (!isOurs && !isNew) {
    return `expected a database of @lousho/store-sqlite (application id ${APPLICATION_ID}, schema version at most ${SCHEMA_VERSION}), got another program's (application id ${stamp.applicationId}, version ${stamp.version})`;
  }
  if (stamp.version > SCHEMA_VERSION) {
    return `expected schema version ${SCHEMA_VERSION} or older, got ${stamp.version}, which a newer version of this package wrote`;
  }
  return null;
}

function readStamp(db: Database, path: string): DatabaseStamp {
  try {
    // One snapshot: between two reads of their own, another process may have made the database.
    return db.transaction(() => ({
      applicationId: db.pragma('application_id', { simple: true }) as number,
      version: db.pragma('user_version', { simple: true }) as number,
      isEmpty: db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined,
    }))();
  } catch (cause) {
    if (!isNotDatabase(cause)) throw cause;
    const detail = `${path}: expected an SQLite database with schema version ${SCHEMA_VERSION} or older, got a file that is no database (no version)`;
    throw new SDKError('LOUSHO_STORAGE_INCOMPATIBLE', detail, { cause });
  }
}
