import { fakedTime } from '@lousho/conformance/faults';
import { exactly, type Figure } from './figure.js';
import { type ClockReading, hostNow, readClocks } from './host-time.js';

const HOUR_MS = 3_600_000;
const SKEWS_H = [-1, 0, 1];

/** A wall clock for one child process. */
export interface GivenClock {
  /** Of the child: shifts its wall clock and leaves its monotonic one alone. */
  readonly env: Readonly<Record<string, string>>;
  /** To be called with what the child reads. */
  readonly told: (reading: ClockReading) => void;
}

/** Wall clocks for child processes: an hour behind, right, an hour ahead, in turn; and whether the children really had them. */
export class SkewedClocks {
  readonly #children: { readonly skewH: number; seen?: Seen }[] = [];

  /** `library` is that of libfaketime. */
  constructor(private readonly library: string) {}

  next(): GivenClock {
    const skewH = SKEWS_H[this.#children.length % SKEWS_H.length] as number;
    const child: { readonly skewH: number; seen?: Seen } = { skewH };
    this.#children.push(child);
    const startedAt = hostNow();
    return {
      env: fakedTime(this.library, { offset: `${skewH < 0 ? '' : '+'}${(skewH * HOUR_MS) / 1_000}` }),
      told: (reading) => {
        child.seen = seenIn(reading, startedAt);
      },
    };
  }

  /** How many of the children that have told read a wall clock that is off. */
  get skewed(): number {
    return this.#children.filter(({ seen }) => seen !== undefined && seen.skewH !== 0).length;
  }

  /** None where no child process was started. */
  figures(): readonly Figure[] {
    if (this.#children.length === 0) return [];
    const seen = this.#children.map((child) => child.seen);
    return [
      exactly(
        'wall clocks of the child processes, as they read them',
        counted(seen.map((each) => (each ? hours(each.skewH) : 'unread'))),
        counted(this.#children.map(({ skewH }) => hours(skewH))),
      ),
      exactly(
        "child processes whose monotonic clock is the host's",
        seen.filter((each) => each?.isMonotonicRight).length,
        seen.length,
      ),
    ];
  }
}

/** What a child's clocks are, beside those of this process. */
interface Seen {
  readonly skewH: number;
  readonly isMonotonicRight: boolean;
}

function seenIn({ wallMs, hostMs }: ClockReading, startedAt: number): Seen {
  const own = readClocks();
  const skewMs = wallMs - hostMs - (own.wallMs - own.hostMs);
  return {
    // To half a minute: between its two readings a process may have to wait for the processor.
    skewH: Math.round((skewMs / HOUR_MS) * 100) / 100,
    isMonotonicRight: hostMs >= startedAt && hostMs <= own.hostMs,
  };
}

function hours(skewH: number): string {
  return `${skewH > 0 ? '+' : ''}${skewH} h`;
}

/** `3 × -1 h, 2 × 0 h`. */
function counted(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${count} × ${value}`).join(', ');
}
