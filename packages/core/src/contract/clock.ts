/** Time, as a store or a run needs it. Passed in, so that a test can move it. */
export interface Clock {
  /** Wall-clock milliseconds since the epoch: shown to people, compared only where no better clock is shared. */
  now(): number;
  /** Milliseconds that never go backwards within this process. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** ISO text of an instant. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
