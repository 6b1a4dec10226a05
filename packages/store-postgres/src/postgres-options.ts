import { expected, historyLimit, positiveInteger } from '@lousho/core/contract';

export interface PostgresStoreOptions {
  /** Saves kept per id for `history()`; 0 keeps none. Default 50. */
  readonly historyLimit?: number;
  /** The schema that holds the tables: lower-case letters, digits and `_`. Default `lousho`. */
  readonly schema?: string;
  /** Statements that write saves at the same time, each with all saves that waited for it. Default 4. */
  readonly lanes?: number;
  /** Longest time of one call in milliseconds, waits for locks and for a restarting server included. Default 15,000. */
  readonly deadlineMs?: number;
}

const MAX_LANES = 64;
const MAX_DEADLINE_MS = 3_600_000;

/** The options with their defaults. Throws `LOUSHO_CONFIG_INVALID` for a value that is none. */
export function readOptions(options: PostgresStoreOptions): Required<PostgresStoreOptions> {
  const { schema = 'lousho', lanes = 4, deadlineMs = 15_000 } = options;
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_')) {
    throw expected(
      'schema',
      '1-63 lower-case letters, digits and _, not starting with a digit or pg_',
      schema,
    );
  }
  if (positiveInteger('lanes', lanes) > MAX_LANES) throw expected('lanes', `at most ${MAX_LANES}`, lanes);
  if (positiveInteger('deadlineMs', deadlineMs) > MAX_DEADLINE_MS) {
    throw expected('deadlineMs', `at most ${MAX_DEADLINE_MS}`, deadlineMs);
  }
  return { historyLimit: historyLimit(options.historyLimit), schema, lanes, deadlineMs };
}
