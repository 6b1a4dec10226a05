import { type Clock, systemClock } from '../contract/index.js';

/** A clock that also wakes. A run's timers all come from here, so that a test can own time. */
export interface Timers extends Clock {
  /** Calls `wake` once after `delayMs`; the returned function cancels it. */
  schedule(wake: () => void, delayMs: number): () => void;
}

export const systemTimers: Timers = {
  ...systemClock,
  schedule: (wake, delayMs) => {
    const timer = setTimeout(wake, delayMs);
    return () => clearTimeout(timer);
  },
};
