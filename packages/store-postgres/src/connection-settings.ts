import { addressOf, ConfigurationError, expectedKind, reasonOf } from '@lousho/core/contract';
import pg, { type PoolConfig } from 'pg';
import { isPool, type PostgresPool } from './postgres-pool.js';

const WANTED = 'a Pool of pg, connection settings or a connection string that begins with postgres://';
const HINT =
  'Write postgres://user:password@host:5432/database, with %-signs for special characters of the password.';

/** The settings with their connection string read once. Throws `LOUSHO_CONFIG_INVALID`, without a word of them, for what is none. */
export function readSettings(settings: PoolConfig | string): PoolConfig {
  const config = typeof settings === 'string' ? { connectionString: settings } : settings;
  if (typeof config !== 'object' || config === null) throw expectedKind('pool', WANTED, settings, HINT);
  const { connectionString } = config;
  if (connectionString === undefined) return config;
  // What begins otherwise, pg takes for the name of a database, and a password in it would stand in the server's log.
  if (typeof connectionString !== 'string' || !/^(postgres(ql)?:\/\/|socket:|\/)/i.test(connectionString)) {
    throw expectedKind('pool', WANTED, connectionString, HINT);
  }
  try {
    new pg.Client({ connectionString });
  } catch (error) {
    // Not as the cause: what parses a URL hangs it on its error.
    throw new ConfigurationError(
      `Expected \`pool\` to be ${WANTED}, got one that pg cannot read: ${reasonOf(error)}`,
      {
        field: 'pool',
        hint: HINT,
      },
    );
  }
  return config;
}

/** `app@db:5432/jobs`: where the connections lead, as pg has it from settings, connection string and environment. */
export function placeOf(settings: PoolConfig | PostgresPool): string {
  const config = isPool(settings) ? (settings as { readonly options?: PoolConfig }).options : settings;
  if (config === undefined) return 'the given pool';
  const { connectionString, user, host, port, database } = config;
  try {
    // Never connected. Only these: a stream or a certificate of the caller's must not be opened for a text.
    const named = { connectionString, user, host, port, database };
    const known = Object.entries(named).filter(([, value]) => value !== undefined);
    return addressOf(new pg.Client(Object.fromEntries(known)));
  } catch {
    return 'the given pool';
  }
}
