import { type Agent, type CheckpointStore, type CreateAgentOptions, createAgent } from '@lousho/core';
import { virtualTimers } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { type ProcessTimers, processTimers } from './process-timers.js';
import { type SpyStore, spyStore } from './spy-store.js';
import type { ViewOptions } from './store-view.js';

export interface Replica {
  readonly agent: Agent;
  readonly timers: ProcessTimers;
  readonly store: SpyStore;
  readonly warnings: string[];
}

/** One storage, one clock, and any number of processes that share nothing else. */
export function replicas() {
  const clock = virtualTimers();
  const inner = memoryStore({ clock }).checkpoints as Required<CheckpointStore>;
  return {
    clock,
    inner,
    start: (options: Omit<CreateAgentOptions, 'store' | 'ports'>, view?: ViewOptions): Replica => {
      const timers = processTimers(clock);
      const store = spyStore(inner, view);
      const warnings: string[] = [];
      const logger = { warn: (message: string) => void warnings.push(message) };
      return {
        agent: createAgent({ ...options, store, ports: { timers, logger } }),
        timers,
        store,
        warnings,
      };
    },
    /** Gives the lease to somebody else, behind its holder's back. */
    steal: async (sessionId: string) => {
      const holder = await inner.readLease(sessionId);
      if (holder) await inner.releaseLease(sessionId, holder.owner);
      await inner.acquireLease(sessionId, 'thief', 30_000);
    },
  };
}
