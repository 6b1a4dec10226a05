import type { Timers } from '@lousho/core';

/** Time that stands still until a check moves it, with the timers that wait for it. */
export interface WorldClock extends Timers {
  /** Moves time on and fires what comes due on the way, in order. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock by so many milliseconds, as a person or a time server does: monotonic time and timers do not notice. */
  setWall(byMs: number): void;
  /** How many timers wait. */
  readonly waiting: number;
}

export function worldClock(startsAt = Date.UTC(2030, 0, 1)): WorldClock {
  let elapsed = 0;
  let wall = startsAt;
  const timers = new Set<Timer>();

  const nextDue = (until: number) =>
    [...timers].filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt)[0];

  return {
    now: () => wall + elapsed,
    monotonic: () => 5_000 + elapsed,
    schedule: (wake, delayMs) => {
      const timer = { dueAt: elapsed + delayMs, wake };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      const until = elapsed + ms;
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        timers.delete(timer);
        elapsed = Math.max(elapsed, timer.dueAt);
        timer.wake();
        await settled();
      }
      elapsed = until;
    },
    setWall: (byMs) => {
      wall += byMs;
    },
    get waiting() {
      return timers.size;
    },
  };
}

interface Timer {
  readonly dueAt: number;
  readonly wake: () => void;
}

/** Lets everything that is ready run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Longer than a run's time limit: by then nobody waits for the answer any more. */
const LONGEST_WAIT_MS = 600_000;
/** What is not there after so many turns waits for something outside, which needs the processor more. */
const EAGER_TURNS = 100;

/** Waits until something is so, letting the event loop turn. The runner's time limit ends a wait in vain; this ends its polling. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  for (let turns = 0; !(await condition()); turns++) {
    if (performance.now() > giveUpAt) throw new Error('waited in vain');
    await new Promise<void>((resolve) => {
      if (turns < EAGER_TURNS) setImmediate(resolve);
      else setTimeout(resolve, 1);
    });
  }
}
