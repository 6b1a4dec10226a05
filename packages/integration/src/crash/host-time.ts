/**
 * Milliseconds of a clock that every process of this host reads alike, and that no setting of a wall clock moves: what processes tell
 * each other about time is told by it.
 */
export function hostNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The clocks of a process, read at one moment. */
export interface ClockReading {
  readonly wallMs: number;
  readonly hostMs: number;
}

export function readClocks(): ClockReading {
  return { wallMs: Date.now(), hostMs: hostNow() };
}
