import { type HostClock, hostClockOver } from '@lousho/core/node';

export interface VirtualTime {
  readonly clock: HostClock;
  advance(ms: number): void;
}

export function virtualTime(): VirtualTime {
  let ms = 1_000_000;
  return {
    clock: hostClockOver({ now: () => 1_700_000_000_000 + ms, monotonic: () => ms }),
    advance: (by) => {
      ms += by;
    },
  };
}
