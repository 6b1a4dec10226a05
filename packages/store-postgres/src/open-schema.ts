import { SDKError } from '@lousho/core/contract';
import { onConnection, type Query } from './attempt.js';
import { codeOf, StatementFailure } from './failure.js';
import type { PostgresPool } from './postgres-pool.js';
import { migrationsFrom, SCHEMA_VERSION } from './schema.js';

export interface ServerSettings {
  readonly encoding: string;
  readonly synchronousCommit: string;
  readonly fsync: string;
}

export interface SchemaPlace {
  readonly pool: PostgresPool;
  readonly schema: string;
  /** Names the server, for error texts. */
  readonly place: () => string;
  readonly timeoutMs: number;
}

/**
 * Brings the tables up to date and reads what the server promises. Of several processes that start at once one does it, and the
 * others find it done. Rejects with `LOUSHO_STORAGE_INCOMPATIBLE`, and without a change, for a newer version's or another program's schema.
 */
export async function openSchema({ pool, schema, place, timeoutMs }: SchemaPlace): Promise<ServerSettings> {
  return onConnection(pool, timeoutMs, async (query) => {
    const settings = await readSettings(query);
    const incompatible = (reason: string, cause?: unknown) =>
      new SDKError('LOUSHO_STORAGE_INCOMPATIBLE', `schema ${schema} at ${place()}: ${reason}`, { cause });
    if (settings.encoding !== 'UTF8') {
      throw incompatible(`expected a database in UTF8, got ${settings.encoding}`);
    }
    try {
      if ((await versionOf(query, schema)) !== SCHEMA_VERSION) await migrate(query, schema);
    } catch (error) {
      if (error instanceof NotOurs) throw incompatible(error.message, error.cause);
      throw error;
    }
    return settings;
  });
}

/** A schema that this version leaves alone. */
class NotOurs extends Error {}

async function readSettings(query: Query): Promise<ServerSettings> {
  const [row] = await query({
    text: `SELECT current_setting('synchronous_commit') AS synchronous_commit, current_setting('fsync') AS fsync,
                  current_setting('server_encoding') AS encoding`,
  });
  return {
    encoding: String(row?.encoding),
    synchronousCommit: String(row?.synchronous_commit),
    fsync: String(row?.fsync),
  };
}

/** 0 where there is nothing yet. */
async function versionOf(query: Query, schema: string): Promise<number> {
  // Read from the catalog's tables: functions such as to_regclass() answer from a cache that is as old as the transaction's start.
  const [found] = await query({
    text: 'SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = $2) AS found',
    values: [schema, 'migrations'],
  });
  if (found?.found !== true) return 0;
  const [row] = await query({ text: `SELECT max(version)::text AS version FROM ${schema}.migrations` });
  const version = Number(row?.version ?? 0);
  if (version > SCHEMA_VERSION) {
    throw new NotOurs(
      `expected schema version ${SCHEMA_VERSION} or older, got ${version}, which a newer version of this package wrote`,
    );
  }
  return version;
}

/** In one transaction, under a lock that ends with it: a lock of the session would stay with the pooler's connection. */
async function migrate(query: Query, schema: string): Promise<void> {
  await query({ text: 'BEGIN ISOLATION LEVEL READ COMMITTED' });
  try {
    await query({
      text: `SELECT pg_advisory_xact_lock(hashtextextended('lousho migrations of ${schema}', 0))`,
    });
    const version = await versionOf(query, schema);
    // Asked first: with IF NOT EXISTS too, Postgres wants the right to create schemas.
    const [row] = await query({
      text: 'SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1) AS found',
      values: [schema],
    });
    if (row?.found !== true) await query({ text: `CREATE SCHEMA ${schema}` });
    if (version === 0) {
      await query({
        text: `CREATE TABLE IF NOT EXISTS ${schema}.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)`,
      });
    }
    for (const [step, migration] of migrationsFrom(version, schema).entries()) {
      for (const text of migration.split(';').filter((part) => part.trim() !== '')) await query({ text });
      await query({
        text: `INSERT INTO ${schema}.migrations (version, applied_at) VALUES ($1, clock_timestamp())`,
        values: [version + step + 1],
      });
    }
    await query({ text: 'COMMIT' });
  } catch (error) {
    await query({ text: 'ROLLBACK' }).catch(() => {});
    throw foreignTables(error) ?? error;
  }
}

/** Tables of these names that this package did not make. */
function foreignTables(error: unknown): NotOurs | undefined {
  const cause = error instanceof StatementFailure ? error.cause : undefined;
  if (codeOf(cause) !== '42P07') return undefined;
  return new NotOurs(
    "expected an empty schema or one of @lousho/store-postgres, got another program's tables",
    { cause },
  );
}
