import {
  type BundledStore,
  type CheckpointStore,
  expected,
  Gate,
  historyLimit,
  LogCheckpointStore,
  type PruneOptions,
  type PruneResult,
  pruneAge,
  TableApprovalStore,
  TableSessionStore,
  wholeNumber,
} from '@lousho/core/contract';
import { type HostClock, hostClock } from '@lousho/core/node';
import { approvalFold } from './approval-fold.js';
import { BackgroundTasks } from './background-tasks.js';
import { fileCapabilities } from './capabilities.js';
import { checkpointFold } from './checkpoint-fold.js';
import { FileApprovalTable } from './file-approval-table.js';
import { FileCheckpointLog } from './file-checkpoint-log.js';
import { FileSessionTable } from './file-session-table.js';
import { FileSyncs } from './file-syncs.js';
import { FloorLog, floorFold } from './floor-log.js';
import type { Fold } from './fold.js';
import { HeartbeatFile } from './heartbeat-file.js';
import { nodeFs, sleep } from './late-modules.js';
import { LeaseBook } from './lease-book.js';
import { leaseJudge } from './lease-judge.js';
import { removeLeftovers } from './leftovers.js';
import { LogCollection } from './log-collection.js';
import { mapFileError } from './log-errors.js';
import type { LogFs } from './log-fs.js';
import { OpenLogs } from './open-logs.js';
import { prune } from './prune.js';
import { SerialQueues } from './serial-queues.js';
import { sessionFold } from './session-fold.js';
import { type Kind, StoreDirectory } from './store-directory.js';

export interface FileStoreOptions {
  /** How many saves are kept per id, the latest included. Default 50; 0 keeps none but the latest. */
  readonly historyLimit?: number;
  /**
   * Milliseconds waited past a lease's expiry before another owner may take it. Default 30,000. All processes on one directory
   * should use the same.
   */
  readonly graceMs?: number;
  /** A log is rewritten when it is more than twice its content and so many bytes longer. Default 65,536. */
  readonly compactAfterBytes?: number;
  /** For tests that move time. */
  readonly clock?: HostClock;
  /** The same: waits so many milliseconds before something is tried again. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** For tests that inject faults. */
  readonly fs?: LogFs;
}

const DEFAULT_GRACE_MS = 30_000;
const DEFAULT_COMPACT_AFTER_BYTES = 64 * 1024;
/** Operations under way at once. More would only wait: the disk syncs a few files at a time. */
const CONCURRENCY = 8;
/** Together with the files under way well below the lowest limit that processes run with (64). */
const MAX_OPEN_FILES = 12;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/**
 * Keeps runs, approvals and sessions as files in `dir`, which is made on the first write. What was acknowledged survives a killed
 * process and a power cut; any number of processes of one host may work on one directory.
 *
 * Rejects with `LOUSHO_CONFIG_INVALID` at first use when `dir` is on a network file system.
 */
export function fileStore(dir: string, options: FileStoreOptions = {}): FileStore {
  return new FileStore(dir, options);
}

export class FileStore implements BundledStore {
  /** The absolute path of the store's directory. */
  readonly dir: string;
  readonly checkpoints: CheckpointStore;
  readonly approvals: TableApprovalStore;
  readonly sessions: TableSessionStore;

  readonly #fs: LogFs;
  readonly #clock: HostClock;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #gate: Gate;
  readonly #directory: StoreDirectory;
  readonly #queues = new SerialQueues(CONCURRENCY);
  // Of its own: an operation that waits for a floor must not hold what the floor waits for.
  readonly #floorQueues = new SerialQueues(1);
  readonly #background = new BackgroundTasks();
  readonly #open = new OpenLogs({ maxFiles: MAX_OPEN_FILES, maxBytes: MAX_CACHED_BYTES });
  readonly #syncs: FileSyncs;
  readonly #heartbeats: HeartbeatFile;
  readonly #compactAfterBytes: number;
  readonly #tables: {
    readonly checkpoints: FileCheckpointLog;
    readonly approvals: FileApprovalTable;
    readonly sessions: FileSessionTable;
  };

  constructor(dir: string, options: FileStoreOptions = {}) {
    if (typeof dir !== 'string' || dir === '') throw expected('dir', 'a path', dir);
    const limit = historyLimit(options.historyLimit);
    const graceMs = wholeNumber('graceMs', options.graceMs ?? DEFAULT_GRACE_MS);
    this.#compactAfterBytes = wholeNumber(
      'compactAfterBytes',
      options.compactAfterBytes ?? DEFAULT_COMPACT_AFTER_BYTES,
    );
    this.#fs = options.fs ?? nodeFs();
    this.#clock = options.clock ?? hostClock;
    this.#sleep = options.sleep ?? sleep;
    this.#directory = new StoreDirectory(this.#fs, dir);
    this.dir = this.#directory.path;
    this.#syncs = new FileSyncs(this.#fs);
    this.#heartbeats = new HeartbeatFile(this.#fs, this.#directory.of('heartbeats'));
    const name = `fileStore(${dir})`;
    this.#gate = new Gate({ name, mapError: mapFileError(name) });
    this.#tables = this.#makeTables(limit, graceMs);
    const parts = { log: this.#tables.checkpoints, gate: this.#gate, clock: this.#clock };
    this.checkpoints = new LogCheckpointStore({ ...parts, capabilities: fileCapabilities(graceMs) });
    this.approvals = new TableApprovalStore(this.#tables.approvals, this.#gate);
    this.sessions = new TableSessionStore(this.#tables.sessions, this.#gate);
  }

  async prune(options: PruneOptions): Promise<PruneResult> {
    const olderThanMs = pruneAge(options);
    return this.#gate.run('prune', async () => {
      removeLeftovers(this.#fs, this.#directory, Date.now());
      return prune({ ...this.#tables, clock: this.#clock }, olderThanMs);
    });
  }

  async close(): Promise<void> {
    if (!this.#gate.close()) return;
    await this.#finished();
    this.#open.dropAll();
    this.#heartbeats.close();
  }

  /** Resolves when nothing is under way. An operation may go from one queue to another, so all have to be idle at once. */
  async #finished(): Promise<void> {
    const parts = [this.#queues, this.#floorQueues, this.#background];
    do {
      for (const part of parts) await part.drained();
      await new Promise((resolve) => setImmediate(resolve));
    } while (!parts.every((part) => part.isIdle));
  }

  #makeTables(limit: number, graceMs: number) {
    const floors = this.#logs('floors', floorFold, this.#floorQueues);
    const clock = this.#clock;
    const judge = leaseJudge({
      fs: this.#fs,
      heartbeats: this.#directory.of('heartbeats'),
      graceMs,
      now: () => clock.hostTime(),
    });
    const logs = this.#logs('checkpoints', checkpointFold);
    const floor = new FloorLog(floors, 'checkpoints');
    const leases = new LeaseBook({ logs, floor, judge, clock, heartbeats: this.#heartbeats });
    return {
      checkpoints: new FileCheckpointLog({ logs, floor, leases, judge, clock, historyLimit: limit }),
      approvals: new FileApprovalTable({ logs: this.#logs('approvals', approvalFold), clock }),
      sessions: new FileSessionTable({
        logs: this.#logs('sessions', sessionFold),
        floor: new FloorLog(floors, 'sessions'),
        clock,
      }),
    };
  }

  #logs<S>(kind: Kind, fold: Fold<S>, queues = this.#queues): LogCollection<S> {
    return new LogCollection({
      fs: this.#fs,
      sleep: this.#sleep,
      fold,
      syncs: this.#syncs,
      open: this.#open,
      queues,
      background: this.#background,
      root: this.#directory.of(kind),
      compactAfterBytes: this.#compactAfterBytes,
      directory: this.#directory,
    });
  }
}
