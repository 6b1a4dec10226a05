import type { FaultCell } from '../cell.js';
import { otherThread, THREADS, threadsWithLeases, threadsWithoutLeases } from '../threads/threads.js';

const needs = {
  methods: ['checkpoints.history', 'checkpoints.acquireLease'],
  reach: ['host', 'network'],
} as const;

/** As the public case has it, and a size that takes a second. */
const trialOf = (size: 'sampled' | 'full') =>
  size === 'full' ? { saves: 200, bytes: 64 * 1024 } : { saves: 15, bytes: 8 * 1024 };

export const threadCells: readonly FaultCell[] = [
  {
    id: 'threads:without-leases:A19',
    says: `${THREADS} threads save to one id without a lease: every save is whole`,
    needs,
    run: async ({ harness, size }) => ({
      trials: THREADS * trialOf(size).saves,
      inconsistent: await threadsWithoutLeases(harness, trialOf(size)),
    }),
  },
  {
    id: 'threads:leases:A19',
    says: `${THREADS} threads take turns by the lease of one id: every accepted save is in one unbroken line`,
    needs,
    run: async ({ harness, size }) => ({
      trials: THREADS * trialOf(size).saves,
      inconsistent: await threadsWithLeases(harness, trialOf(size)),
    }),
  },
  {
    id: 'threads:live-run:A19',
    says: 'the lease of another thread’s live run is refused',
    needs,
    run: async ({ harness }) => ({ trials: 1, inconsistent: await otherThread(harness) }),
  },
];
