import {
  type BundledStore,
  Gate,
  LogCheckpointStore,
  type PruneOptions,
  type PruneResult,
  pruneAge,
  type StoreCapabilities,
  systemClock,
  TableApprovalStore,
  TableSessionStore,
} from '@lousho/core/contract';
import pg, { type PoolConfig } from 'pg';
import { placeOf, readSettings } from './connection-settings.js';
import { Database } from './database.js';
import { LeaseTable } from './lease-table.js';
import { openSchema, type ServerSettings } from './open-schema.js';
import { listenTo } from './pool-listeners.js';
import { PostgresApprovalTable } from './postgres-approval-table.js';
import { PostgresCheckpointLog } from './postgres-checkpoint-log.js';
import { codedError, codedReadError } from './postgres-errors.js';
import { type PostgresStoreOptions, readOptions } from './postgres-options.js';
import { isPool, type PostgresPool } from './postgres-pool.js';
import { PostgresSessionTable } from './postgres-session-table.js';
import { Pruner } from './pruner.js';
import { SaveQueue } from './save-queue.js';
import { StoredCheckpoints } from './stored-checkpoints.js';

/**
 * Keeps runs, approvals and conversations in a Postgres database, for any number of machines. Leases are judged by the server's
 * clock, and a save by a holder that lost its lease is refused in the statement that would have written it. No call uses anything
 * that belongs to a session, so a transaction pooler may stand between.
 */
export class PostgresStore implements BundledStore {
  readonly checkpoints: LogCheckpointStore;
  readonly approvals: TableApprovalStore;
  readonly sessions: TableSessionStore;
  readonly #gate: Gate;
  readonly #database: Database;
  readonly #pruner: Pruner;
  readonly #ownsPool: boolean;
  readonly #stopListening: () => void;
  #server: ServerSettings | undefined;
  #closing: Promise<void> | undefined;

  /**
   * `pool` is a `Pool` of `pg`, which stays the caller's to end, or what `pg` connects by: a connection string or settings. Nothing
   * is connected before the first call. Throws `LOUSHO_CONFIG_INVALID` for a wrong option or what is no connection string.
   */
  constructor(pool: PostgresPool | PoolConfig | string, options: PostgresStoreOptions = {}) {
    const { historyLimit, schema, lanes, deadlineMs } = readOptions(options);
    this.#ownsPool = !isPool(pool);
    const connections = isPool(pool) ? pool : poolOf(readSettings(pool), lanes);
    // Read when an error needs it: the caller's pool may have learnt its settings late.
    const place = () => placeOf(connections);
    this.#stopListening = listenTo(connections);
    this.#database = new Database(connections, deadlineMs, async (timeoutMs) => {
      this.#server = await openSchema({ pool: connections, schema, place, timeoutMs });
    });
    const name = `PostgresStore(${schema})`;
    this.#gate = new Gate({
      name,
      mapError: (error, operation) =>
        (READS.test(operation) ? codedReadError : codedError)(error, `${name}.${operation}() at ${place()}`),
    });
    this.checkpoints = new LogCheckpointStore({
      log: new PostgresCheckpointLog(
        new SaveQueue(this.#database, schema, historyLimit, lanes),
        new StoredCheckpoints(this.#database, schema, historyLimit),
        new LeaseTable(this.#database, schema),
      ),
      gate: this.#gate,
      capabilities: capabilities(() => this.#server),
      clock: systemClock,
    });
    this.approvals = new TableApprovalStore(new PostgresApprovalTable(this.#database, schema), this.#gate);
    this.sessions = new TableSessionStore(new PostgresSessionTable(this.#database, schema), this.#gate);
    this.#pruner = new Pruner(this.#database, schema);
  }

  /**
   * Connects, brings the tables up to date and reads what the server promises; every other call does it by itself. Rejects with
   * `LOUSHO_STORAGE_INCOMPATIBLE` for another program's or a newer version's tables, which it leaves as they are,
   * `LOUSHO_STORAGE_READ_ONLY`, or `LOUSHO_STORAGE_FAILED`.
   */
  ready(): Promise<void> {
    return this.#gate.run('ready', () => this.#database.ready());
  }

  async prune(options: PruneOptions): Promise<PruneResult> {
    const olderThanMs = pruneAge(options);
    return this.#gate.run('prune', () => this.#database.track(() => this.#pruner.prune(olderThanMs)));
  }

  /** Resolves once every call that was made before it has its answer; ends the connections that the store opened itself. */
  close(): Promise<void> {
    this.#gate.close();
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#database.idle();
    if (this.#ownsPool) await this.#database.pool.end();
    else this.#stopListening();
  }
}

const READS = /^(load|list|listPending|history|readLease|ready|approvals\.(load|list)|sessions\.load)$/;

function poolOf(settings: PoolConfig, lanes: number): PostgresPool {
  return new pg.Pool({
    // The lanes, and as many again for reads and leases.
    max: lanes * 2,
    keepAlive: true,
    allowExitOnIdle: true,
    ...settings,
  });
}

function capabilities(server: () => ServerSettings | undefined): StoreCapabilities {
  return {
    fencing: 'atomic', // one statement checks the lease and saves, under the row's lock
    reads: 'latest', // one primary, a snapshot of all that was committed
    reach: 'network',
    get survives() {
      const settings = server();
      // Known once connected; until then no more is claimed than any server keeps.
      const isDurable = settings && settings.fsync !== 'off' && settings.synchronousCommit !== 'off';
      return isDurable ? ('power-loss' as const) : ('process-crash' as const);
    },
    clock: 'store', // clock_timestamp() of the server, at the moment of the decision
    graceMs: 0,
    deathProof: 'none',
  };
}
