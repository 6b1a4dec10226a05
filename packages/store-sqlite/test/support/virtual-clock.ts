import { type HostClock, hostClockOver } from '@lousho/core/node';

export interface VirtualClock extends HostClock {
  advance(ms: number): void;
}

/** Time that stands still until a test moves it. */
export function virtualClock(startAt = Date.UTC(2030, 0, 1)): VirtualClock {
  let passedMs = 0;
  const clock = hostClockOver({ now: () => startAt + passedMs, monotonic: () => passedMs });
  return {
    ...clock,
    advance: (ms) => {
      passedMs += ms;
    },
  };
}
