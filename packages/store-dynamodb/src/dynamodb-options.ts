import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { type Clock, expected, historyLimit, positiveInteger, systemClock } from '@lousho/core/contract';

export interface DynamoDBStoreOptions {
  /** The table; its partition key is `pk` and its sort key `sk`, both strings. */
  readonly tableName: string;
  /** Creates the table on the first call where it is missing, paid per request. Default `false`. */
  readonly createTable?: boolean;
  /** Saves kept per id for `history()`; 0 keeps none, at most 1,000. Default 50. */
  readonly historyLimit?: number;
  /** Lets the table's TTL remove a finished run's record so many seconds after its last save. Default: it stays until `prune()`. */
  readonly retentionSeconds?: number;
  /** Longest that one call may take, in milliseconds, retries included. Default 10,000. */
  readonly deadlineMs?: number;
  /** Dates what is saved, and measures on its monotonic time how long a lease was watched. Default: the system's. */
  readonly clock?: Clock;
}

export interface Settings {
  readonly tableName: string;
  readonly createTable: boolean;
  readonly historyLimit: number;
  readonly retentionSeconds: number | undefined;
  readonly deadlineMs: number;
  readonly clock: Clock;
}

const OPTIONS: ReadonlySet<string> = new Set([
  'tableName',
  'createTable',
  'historyLimit',
  'retentionSeconds',
  'deadlineMs',
  'clock',
]);
const MAX_HISTORY = 1_000;
const DEFAULT_DEADLINE_MS = 10_000;

/** The options with their defaults. Throws `LOUSHO_CONFIG_INVALID` for a value that is none. */
export function readOptions(options: DynamoDBStoreOptions): Settings {
  if (typeof options !== 'object' || options === null)
    throw expected('options', 'an object with `tableName`', options);
  for (const name of Object.keys(options)) {
    if (!OPTIONS.has(name)) throw expected('options', `one of ${[...OPTIONS].join(', ')}`, name);
  }
  const { tableName, createTable = false, retentionSeconds } = options;
  if (typeof tableName !== 'string' || !/^[A-Za-z0-9_.-]{3,255}$/.test(tableName)) {
    throw expected('tableName', '3-255 letters, digits, `_`, `-` and `.`', tableName);
  }
  if (typeof createTable !== 'boolean') throw expected('createTable', 'a boolean', createTable);
  const history = historyLimit(options.historyLimit);
  if (history > MAX_HISTORY) throw expected('historyLimit', `at most ${MAX_HISTORY}`, history);
  return {
    tableName,
    createTable,
    historyLimit: history,
    retentionSeconds:
      retentionSeconds === undefined ? undefined : positiveInteger('retentionSeconds', retentionSeconds),
    deadlineMs: positiveInteger('deadlineMs', options.deadlineMs ?? DEFAULT_DEADLINE_MS),
    clock: options.clock ?? systemClock,
  };
}

/** Whether a client was given, which its owner then ends. */
export function isClient(given: DynamoDBClient | DynamoDBClientConfig): given is DynamoDBClient {
  return typeof (given as Partial<DynamoDBClient>).send === 'function';
}
