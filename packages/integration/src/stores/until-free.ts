import { SessionBusyError, type StoreCapabilities } from '@lousho/core';

/** For stores that learn of a death by the lease running out: short, and still renewed in time on a machine that is busy. */
export const SHORT_LEASE = { ttlMs: 800, renewEveryMs: 260 };

const TRY_EVERY_MS = 40;
const GIVE_UP_AFTER_MS = 20_000;

/** Whether a lease may be taken because its holder is known to have ended; elsewhere it has to run out. */
export function provesDeath({ deathProof = 'none' }: StoreCapabilities): boolean {
  return deathProof !== 'none';
}

/** Calls again while the session is busy, as a caller does who comes after a process that died. */
export async function untilFree<T>(call: () => Promise<T>, wait: () => Promise<void> = pause): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isBusy = error instanceof SessionBusyError && error.code === 'LOUSHO_SESSION_BUSY';
      if (!isBusy || performance.now() > giveUpAt) throw error;
    }
    await wait();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
}
