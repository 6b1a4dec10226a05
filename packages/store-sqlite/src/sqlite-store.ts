import {
  type BundledStore,
  expected,
  Gate,
  LogCheckpointStore,
  type PruneOptions,
  type PruneResult,
  pruneAge,
  SDKError,
  type StoreCapabilities,
  TableApprovalStore,
  TableSessionStore,
} from '@lousho/core/contract';
import type { HostClock } from '@lousho/core/node';
import type { Database } from 'better-sqlite3';
import { Connection } from './connection.js';
import { LeaseTable } from './lease-table.js';
import { MEMORY, openDatabase } from './open-database.js';
import { Pruner } from './pruner.js';
import { SqliteApprovalTable } from './sqlite-approval-table.js';
import { SqliteCheckpointLog } from './sqlite-checkpoint-log.js';
import { codedError } from './sqlite-errors.js';
import { readOptions, type SqliteStoreOptions } from './sqlite-options.js';
import { SqliteSessionTable } from './sqlite-session-table.js';
import { StoredCheckpoints } from './stored-checkpoints.js';

/**
 * Keeps runs, approvals and conversations in one SQLite database, for the processes of one host. An acknowledged save survives a
 * power loss, and a save by a holder that lost its lease is refused in the transaction that would have written it.
 */
export class SqliteStore implements BundledStore {
  /** As it was given. */
  readonly path: string;
  readonly checkpoints: LogCheckpointStore;
  readonly approvals: TableApprovalStore;
  readonly sessions: TableSessionStore;
  readonly #gate: Gate;
  readonly #connection: Connection;
  readonly #pruner: Pruner;
  readonly #clock: HostClock;
  #closing: Promise<void> | undefined;

  /**
   * Opens the database at `path`, or creates it, private to this user, together with missing folders; `':memory:'` lasts as long as
   * this object. Throws `LOUSHO_CONFIG_INVALID` for a wrong option or a path on a network file system,
   * `LOUSHO_STORAGE_INCOMPATIBLE` for another program's or a newer version's file, which it leaves as it is,
   * `LOUSHO_STORAGE_READ_ONLY`, `LOUSHO_STORAGE_FULL`, `LOUSHO_STORAGE_BUSY` after a second at most, or `LOUSHO_STORAGE_FAILED`.
   */
  constructor(path: string, options: SqliteStoreOptions = {}) {
    if (typeof path !== 'string' || path === '' || path.includes('\0')) {
      throw expected('path', "a file's path or ':memory:'", path);
    }
    const settings = readOptions(options);
    const { clock } = settings;
    const name = `SqliteStore(${path})`;
    this.path = path;
    this.#clock = clock;
    const tables = open(name, path, settings);
    this.#connection = tables.connection;
    this.#pruner = tables.pruner;
    this.#gate = new Gate({
      name,
      mapError: (error, operation) => codedError(error, `${name}.${operation}()`),
    });
    this.checkpoints = new LogCheckpointStore({
      log: tables.log,
      gate: this.#gate,
      capabilities: capabilities(path, settings),
      clock,
    });
    this.approvals = new TableApprovalStore(tables.approvals, this.#gate);
    this.sessions = new TableSessionStore(tables.sessions, this.#gate);
  }

  async prune(options: PruneOptions): Promise<PruneResult> {
    const savedBefore = this.#clock.now() - pruneAge(options);
    return this.#gate.run('prune', () => this.#pruner.prune(savedBefore));
  }

  /** Resolves once every call that was made before it has its answer and the database is closed. */
  close(): Promise<void> {
    this.#gate.close();
    this.#closing ??= this.#connection.close();
    return this.#closing;
  }
}

function open(name: string, path: string, settings: Required<SqliteStoreOptions>) {
  try {
    const db = openDatabase(path, settings);
    try {
      return tablesOf(db, settings);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof SDKError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw (
      codedError(error, name) ?? new SDKError('LOUSHO_STORAGE_FAILED', `${name}: ${reason}`, { cause: error })
    );
  }
}

/** Prepares the statements, which a database without the tables refuses. */
function tablesOf(db: Database, settings: Required<SqliteStoreOptions>) {
  const { clock, graceMs, historyLimit, busyTimeoutMs } = settings;
  const connection = new Connection(db, busyTimeoutMs);
  const checkpoints = new StoredCheckpoints(db, historyLimit);
  const leases = new LeaseTable(db, clock, graceMs);
  return {
    connection,
    log: new SqliteCheckpointLog(connection, checkpoints, leases),
    approvals: new SqliteApprovalTable(connection, clock),
    sessions: new SqliteSessionTable(connection, clock),
    pruner: new Pruner(connection, checkpoints, leases),
  };
}

function capabilities(path: string, settings: Required<SqliteStoreOptions>): StoreCapabilities {
  const isMemory = path === MEMORY;
  const durable = settings.synchronous === 'full' ? 'power-loss' : 'process-crash';
  return {
    fencing: 'atomic', // check and save are one IMMEDIATE transaction
    reads: 'latest', // WAL: a snapshot begins with everything committed
    reach: isMemory ? 'process' : 'host', // the shared memory of the WAL
    survives: isMemory ? 'nothing' : durable, // FULL: fsync of the WAL before the acknowledgement
    clock: 'host', // monotonic within a boot, else wall clock
    graceMs: settings.graceMs,
    deathProof: isMemory ? 'instance' : 'process', // the lease row names its holder's process
  };
}
