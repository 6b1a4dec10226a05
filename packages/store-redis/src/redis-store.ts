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
import { IdIndex } from './id-index.js';
import { Keys } from './keys.js';
import { LeaseRecords } from './lease-records.js';
import { Nonces } from './nonces.js';
import { Pruner } from './pruner.js';
import { RedisApprovalTable } from './redis-approval-table.js';
import { RedisCheckpointLog } from './redis-checkpoint-log.js';
import { createClient } from './redis-client.js';
import { codedError } from './redis-errors.js';
import { RedisLink } from './redis-link.js';
import {
  assertConnection,
  isClientOf,
  type RedisConnection,
  type RedisSettings,
  type RedisStoreOptions,
  readOptions,
} from './redis-options.js';
import { RedisSessionTable } from './redis-session-table.js';
import { RunRecords } from './run-records.js';
import { ServerLook } from './server-look.js';

/**
 * Keeps runs, approvals and conversations in Redis, for any number of machines. Leases are judged by the server's time, and a save by a
 * holder that lost its lease is refused in the script that would have written it: on one primary, not across a failover.
 */
export class RedisStore implements BundledStore {
  readonly checkpoints: LogCheckpointStore;
  readonly approvals: TableApprovalStore;
  readonly sessions: TableSessionStore;
  readonly #gate: Gate;
  readonly #link: RedisLink;
  readonly #look: ServerLook;
  readonly #pruner: Pruner;
  readonly #isOwn: boolean;
  #closing: Promise<void> | undefined;

  /**
   * Takes an ioredis client, which stays the caller's, or a URL or ioredis' options, for a client of its own. Connects on the first
   * call. Throws `LOUSHO_CONFIG_INVALID` for a wrong option.
   *
   * What `capabilities.survives` says is known once the server was asked, which the first call does; until then it is what the option
   * `survives` says, or `nothing`. `RedisStore.open()` asks before it resolves.
   */
  constructor(connection: RedisConnection, options: RedisStoreOptions = {}) {
    assertConnection(connection);
    const settings = readOptions(options);
    const { clock, deadlineMs } = settings;
    const name = `RedisStore(${settings.prefix})`;
    this.#isOwn = !isClientOf(connection);
    const client = isClientOf(connection) ? connection : createClient(connection);
    this.#link = new RedisLink({ name, client, deadlineMs, isOwn: this.#isOwn });
    this.#gate = new Gate({
      name,
      mapError: (error, operation) => codedError(error, this.#link.placeOf(operation)),
    });
    this.#look = new ServerLook(this.#link, settings);
    const opened = () => this.#look.opened();
    const [link, keys, nonces] = [this.#link, new Keys(settings.prefix), new Nonces()];
    const [runIndex, approvalIndex, sessionIndex] = ['runs', 'approvals', 'sessions'].map(
      (name) => new IdIndex(link, keys.index(name)),
    ) as [IdIndex, IdIndex, IdIndex];
    const { historyLimit, ttlMs } = settings;
    const runs = new RunRecords({ link, keys, index: runIndex, nonces, clock, historyLimit, ttlMs });
    const approvals = new RedisApprovalTable({ link, keys, index: approvalIndex, nonces, clock, opened });
    const sessions = new RedisSessionTable({ link, keys, index: sessionIndex, nonces, clock, opened });
    this.checkpoints = new LogCheckpointStore({
      log: new RedisCheckpointLog(runs, new LeaseRecords(link, keys, clock), opened),
      gate: this.#gate,
      capabilities: capabilities(this.#look),
      clock: clock ?? systemClock,
    });
    this.approvals = new TableApprovalStore(approvals, this.#gate);
    this.sessions = new TableSessionStore(sessions, this.#gate);
    this.#pruner = new Pruner({
      link,
      keys,
      clock,
      runs: { records: runs, index: runIndex },
      approvals: { table: approvals, index: approvalIndex },
      sessions: { table: sessions, index: sessionIndex },
    });
  }

  /**
   * A store whose server has answered and was looked at, so that its capabilities are final. Rejects as a call would: with
   * `LOUSHO_STORAGE_FAILED` when the server cannot be reached, with `LOUSHO_CONFIG_INVALID` for a server that `onUnsafe: 'error'`
   * refuses.
   */
  static async open(connection: RedisConnection, options: RedisStoreOptions = {}): Promise<RedisStore> {
    const store = new RedisStore(connection, options);
    try {
      await store.#gate.run('open', () => store.#look.opened());
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async prune(options: PruneOptions): Promise<PruneResult> {
    const age = pruneAge(options);
    return this.#gate.run('prune', async () => {
      await this.#look.opened();
      return this.#pruner.prune(age);
    });
  }

  /** Resolves once every call that was made before it is settled; ends the connection only if the store made it. */
  close(): Promise<void> {
    this.#gate.close();
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#link.drain();
    if (this.#isOwn) this.#link.client.disconnect();
  }
}

function capabilities(look: ServerLook): StoreCapabilities {
  return {
    fencing: 'atomic', // check and save are one script, on one primary
    reads: 'latest', // reads go to the primary
    reach: 'network',
    get survives(): NonNullable<RedisSettings['survives']> {
      return look.survives; // appendonly and appendfsync of the server
    },
    clock: 'store', // TIME inside the script
    graceMs: 0,
    deathProof: 'none',
  };
}
