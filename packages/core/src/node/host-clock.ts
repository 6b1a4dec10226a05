import type { Clock } from '../contract/index.js';
import { late } from './late.js';

const fs = late(() => process.getBuiltinModule('node:fs'));
const os = late(() => process.getBuiltinModule('node:os'));

/**
 * An instant as a host's processes can compare it. Two readings of one `domain` compare by `monotonicMs`, which no clock setting
 * moves; readings of different domains only by `wallMs`.
 */
export interface HostTime {
  /** The boot and the time namespace of the reading. */
  readonly domain: string;
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Reads the host's time. `monotonicMs` is CLOCK_MONOTONIC, which is common to all processes of one boot and does not run during suspend. */
export interface HostClock extends Clock {
  hostTime(): HostTime;
}

let boot: string | undefined;
let domain: string | undefined;

export function bootId(): string {
  boot ??= readBootId();
  return boot;
}

export const hostClock: HostClock = {
  now: () => Date.now(),
  monotonic: monotonicMs,
  hostTime: () => {
    domain ??= `${bootId()}/${readLink('/proc/self/ns/time')}`;
    return { domain, monotonicMs: monotonicMs(), wallMs: Date.now() };
  },
};

/** A host clock over a clock of the caller's, for tests that move time. */
export function hostClockOver(clock: Clock, name = 'virtual'): HostClock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    hostTime: () => ({ domain: name, monotonicMs: clock.monotonic(), wallMs: clock.now() }),
  };
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

function readBootId(): string {
  try {
    return fs().readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Without a boot id (macOS, Windows) the boot instant, to the minute, stands in for it together with the host's name.
    const bootedAt = Math.round((Date.now() - monotonicMs()) / 60_000);
    return `${os().hostname()}@${bootedAt}`;
  }
}

function readLink(path: string): string {
  try {
    return fs().readlinkSync(path);
  } catch {
    return '-';
  }
}
