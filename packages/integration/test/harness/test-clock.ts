import type { Clock } from '@lousho/core/contract';

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(startsAt = Date.parse('2030-01-01T00:00:00.000Z')): TestClock {
  let elapsed = 0;
  return {
    now: () => startsAt + elapsed,
    monotonic: () => 5_000 + elapsed,
    advance: (ms) => {
      elapsed += ms;
    },
  };
}
