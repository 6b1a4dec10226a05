import {
  type BundledStore,
  type Clock,
  Gate,
  historyLimit,
  LogCheckpointStore,
  pruneAge,
  type StoreCapabilities,
  systemClock,
  TableApprovalStore,
  TableSessionStore,
} from '@lousho/core/contract';
import { MemoryApprovals } from './memory-approvals.js';
import { MemoryLeases } from './memory-leases.js';
import { MemoryLog } from './memory-log.js';
import { MemorySessions } from './memory-sessions.js';
import { prune } from './prune.js';

export interface MemoryStoreOptions {
  /** Saves kept per id for `history()`; 50 when absent, 0 keeps none. */
  readonly historyLimit?: number;
  /** Judges the leases by its monotonic time and dates what is saved by its wall time; the system's when absent. */
  readonly clock?: Clock;
}

/**
 * A store that lives in this process's memory: leases and fenced saves are exact, and everything ends with the process.
 * Throws `LOUSHO_CONFIG_INVALID` for a wrong option.
 */
export function memoryStore(options: MemoryStoreOptions = {}): BundledStore {
  const clock = options.clock ?? systemClock;
  const gate = new Gate({ name: 'memoryStore()' });
  const log = new MemoryLog(new MemoryLeases(clock), historyLimit(options.historyLimit));
  const approvals = new MemoryApprovals(clock);
  const sessions = new MemorySessions(clock);
  return {
    checkpoints: new LogCheckpointStore({ log, gate, capabilities: CAPABILITIES, clock }),
    approvals: new TableApprovalStore(approvals, gate),
    sessions: new TableSessionStore(sessions, gate),
    prune: async (options) => {
      const cutoff = clock.now() - pruneAge(options);
      return gate.run('prune', async () => prune({ log, approvals, sessions }, cutoff));
    },
    close: async () => {
      gate.close();
    },
  };
}

const CAPABILITIES: StoreCapabilities = Object.freeze({
  // The check and the write are one synchronous step.
  fencing: 'atomic',
  reads: 'latest',
  reach: 'process',
  survives: 'nothing',
  clock: 'host',
  graceMs: 0,
  deathProof: 'instance',
});
