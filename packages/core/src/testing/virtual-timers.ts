import type { Timers } from '../ports/index.js';

/** Time that stands still until it is moved. */
export interface VirtualTimers extends Timers {
  /** Lets what is under way come to rest, then moves time on and wakes what is due on the way, in order, each to its rest. */
  advance(ms: number): Promise<void>;
  /** Timers that are waiting. */
  readonly waiting: number;
}

/** A clock for tests; begins at `startAt` (wall-clock milliseconds, default 2026-01-01). */
export function virtualTimers(startAt = Date.UTC(2026, 0, 1)): VirtualTimers {
  let elapsed = 0;
  const timers = new Set<{ readonly dueAt: number; readonly wake: () => void }>();

  function nextDue(until: number) {
    return [...timers].filter((timer) => timer.dueAt <= until).toSorted((a, b) => a.dueAt - b.dueAt)[0];
  }

  return {
    now: () => startAt + elapsed,
    monotonic: () => elapsed,
    schedule: (wake, delayMs) => {
      const timer = { dueAt: elapsed + delayMs, wake };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      // What is under way may be about to set a timer.
      await settle();
      const until = elapsed + ms;
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        timers.delete(timer);
        elapsed = Math.max(elapsed, timer.dueAt);
        timer.wake();
        await settle();
      }
      elapsed = until;
      await settle();
    },
    get waiting() {
      return timers.size;
    },
  };
}

/** Lets everything that is ready run, I/O callbacks included. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}
