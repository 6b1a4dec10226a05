import type { Timers } from '@lousho/core';
import type { Clock } from '@lousho/core/contract';
import type { Life } from './life.js';
import type { Scheduler } from './scheduler.js';

const WALL_START = Date.UTC(2030, 0, 1);
const MONOTONIC_START = 10_000_000;

/** The clock of a host: its wall clock can be set while it runs. */
export class HostClock implements Clock {
  wallOffsetMs = 0;

  constructor(readonly scheduler: Scheduler) {}

  readonly now = (): number => WALL_START + this.scheduler.now + this.wallOffsetMs;
  readonly monotonic = (): number => MONOTONIC_START + this.scheduler.now;
}

/** The host's clock as a client on another host has it: off by so much. */
export function skewed(clock: Clock, skewMs: number): Clock {
  return { now: () => clock.now() + skewMs, monotonic: () => clock.monotonic() + skewMs };
}

/** A process's timers: they stand still with it, and end with it. */
export function processTimers(clock: Clock, life: Life, scheduler: Scheduler): Timers {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: (wake, delayMs) => scheduler.schedule(life, wake, delayMs),
  };
}
