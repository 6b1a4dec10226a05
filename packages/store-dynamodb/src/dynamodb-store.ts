import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  type BundledStore,
  type Gate,
  LogCheckpointStore,
  type PruneOptions,
  type PruneResult,
  pruneAge,
  type StoreCapabilities,
  TableApprovalStore,
  TableSessionStore,
} from '@lousho/core/contract';
import { Background } from './background.js';
import { Call } from './call.js';
import { CheckpointReader } from './checkpoint-reader.js';
import { DynamoDBApprovalTable } from './dynamodb-approval-table.js';
import { DynamoDBCheckpointLog } from './dynamodb-checkpoint-log.js';
import { DynamoDBLeases } from './dynamodb-leases.js';
import { type DynamoDBStoreOptions, isClient, readOptions, type Settings } from './dynamodb-options.js';
import { DynamoDBSessionTable } from './dynamodb-session-table.js';
import { LeaseWatch } from './lease-watch.js';
import { Pruner } from './pruner.js';
import { TableGate } from './table-gate.js';

/**
 * Keeps runs, approvals and conversations in one DynamoDB table, for any number of machines. An acknowledged save is stored in
 * several data centres, and a save by a holder that lost its lease is refused by the write that would have made it.
 */
export class DynamoDBStore implements BundledStore {
  readonly checkpoints: LogCheckpointStore;
  readonly approvals: TableApprovalStore;
  readonly sessions: TableSessionStore;
  readonly #client: DynamoDBClient;
  readonly #ownsClient: boolean;
  readonly #settings: Settings;
  readonly #gate: Gate;
  readonly #background = new Background();
  readonly #pruner: Pruner;
  #closing: Promise<void> | undefined;

  /**
   * Makes no request yet: the first call finds out whether the table is there. `client` is a client, which stays its owner's to
   * destroy, or the configuration of one, which `close()` destroys. Throws `LOUSHO_CONFIG_INVALID` for a wrong option.
   */
  constructor(client: DynamoDBClient | DynamoDBClientConfig, options: DynamoDBStoreOptions) {
    const settings = readOptions(options);
    const { tableName, clock, historyLimit, retentionSeconds } = settings;
    const name = `DynamoDBStore(${tableName})`;
    this.#settings = settings;
    this.#ownsClient = !isClient(client);
    this.#client = isClient(client) ? client : new DynamoDBClient(client);
    const begin = (length?: 'long') => new Call(this.#client, tableName, settings.deadlineMs, length);
    this.#gate = new TableGate({ name }, settings, begin, this.#background);
    const later = (work: () => Promise<void>) => this.#background.run(work);
    const leases = new DynamoDBLeases(new LeaseWatch(clock), clock);
    const reader = new CheckpointReader(historyLimit);
    const log = new DynamoDBCheckpointLog({ begin, reader, leases, historyLimit, retentionSeconds, later });
    const sessions = new DynamoDBSessionTable({ begin, clock, later });
    const gate = this.#gate;
    this.checkpoints = new LogCheckpointStore({ log, gate, capabilities: CAPABILITIES, clock });
    this.approvals = new TableApprovalStore(new DynamoDBApprovalTable({ begin, clock, later }), gate);
    this.sessions = new TableSessionStore(sessions, gate);
    this.#pruner = new Pruner({ begin, log, reader, leases, sessions });
  }

  /** Reads the whole table once; a lease counts as expired once this object has watched it unchanged for its whole ttl. */
  async prune(options: PruneOptions): Promise<PruneResult> {
    const now = this.#settings.clock.now();
    const savedBefore = now - pruneAge(options);
    return this.#gate.run('prune', () => this.#pruner.prune(savedBefore, now));
  }

  /** Resolves once every call that was made before it has its answer. */
  close(): Promise<void> {
    this.#gate.close();
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#background.idle();
    if (this.#ownsClient) this.#client.destroy();
  }
}

const CAPABILITIES: StoreCapabilities = Object.freeze({
  // The lease and the place of the latest save are one item, which one conditional update changes.
  fencing: 'atomic',
  // Every read that answers a question about one id is strongly consistent.
  reads: 'latest',
  reach: 'network',
  survives: 'power-loss',
  // An unchanged counter, watched for a whole ttl on the watcher's own monotonic clock.
  clock: 'observed',
  graceMs: 0,
  deathProof: 'none',
});
