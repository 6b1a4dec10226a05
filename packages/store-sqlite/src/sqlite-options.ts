import { expected, historyLimit, wholeNumber } from '@lousho/core/contract';
import { type HostClock, hostClock } from '@lousho/core/node';

export interface SqliteStoreOptions {
  /** Saves kept per id for `history()`; 0 keeps none. Default 50. */
  readonly historyLimit?: number;
  /**
   * `full` (default): an acknowledged save survives a power loss. `normal`: it survives a process crash; the last ones before a
   * power loss may be gone. Saves are faster by one fsync.
   */
  readonly synchronous?: 'full' | 'normal';
  /** Milliseconds waited past a lease's expiry before another owner may take it. Default 30,000. */
  readonly graceMs?: number;
  /** Longest wait, in milliseconds, for a lock of another process; then the call rejects with `LOUSHO_STORAGE_BUSY`. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /** The time by which leases expire and saves are dated. Default: this host's. */
  readonly clock?: HostClock;
}

const DEFAULT_GRACE_MS = 30_000;
const DEFAULT_BUSY_TIMEOUT_MS = 10_000;

/** The options with their defaults. Throws `LOUSHO_CONFIG_INVALID` for a value that is none. */
export function readOptions(options: SqliteStoreOptions): Required<SqliteStoreOptions> {
  const synchronous = options.synchronous ?? 'full';
  if (synchronous !== 'full' && synchronous !== 'normal') {
    throw expected('synchronous', 'full or normal', synchronous);
  }
  return {
    historyLimit: historyLimit(options.historyLimit),
    synchronous,
    graceMs: wholeNumber('graceMs', options.graceMs ?? DEFAULT_GRACE_MS),
    busyTimeoutMs: wholeNumber('busyTimeoutMs', options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS),
    clock: options.clock ?? hostClock,
  };
}
