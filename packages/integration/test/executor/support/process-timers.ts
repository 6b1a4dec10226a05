import type { Timers } from '@lousho/core';
import type { VirtualTimers } from '@lousho/core/testing';

/** The timers of one of several processes that share a clock. While it is stopped, time goes on and its timers do not fire. */
export interface ProcessTimers extends Timers {
  stop(): void;
  /** Fires what came due meanwhile. */
  goOn(): void;
}

export function processTimers(clock: VirtualTimers): ProcessTimers {
  let isStopped = false;
  const missed = new Set<() => void>();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: (wake, delayMs) => {
      const fire = () => void (isStopped ? missed.add(wake) : wake());
      const cancel = clock.schedule(fire, delayMs);
      return () => {
        cancel();
        missed.delete(wake);
      };
    },
    stop: () => {
      isStopped = true;
    },
    goOn: () => {
      isStopped = false;
      for (const wake of missed) {
        missed.delete(wake);
        wake();
      }
    },
  };
}
