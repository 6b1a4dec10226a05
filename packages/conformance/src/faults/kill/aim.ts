import type { Trace } from '../trace/strace-line.js';
import { type KillPoint, touches } from './kill-points.js';

/** What a run in which a call was to be struck says about the aim. */
export interface Shot {
  /** Whether the call that was struck is the one. */
  readonly isHit: boolean;
  /** The ordinal that the call had in this run; absent when the run did not come to it. */
  readonly ordinal?: number;
}

export function shotAt({ call, nth }: KillPoint, trace: Trace, folder: string, mark: StruckMark): Shot {
  const one = touches(trace, folder).find((touch) => touch.call.name === call && touch.nth === nth);
  if (!one) return { isHit: false };
  return { isHit: mark(one.call.result), ordinal: one.call.ordinal };
}

/** By what a call that was struck is known: its result. */
export type StruckMark = (result: string | undefined) => boolean;

/** More than the counts of two runs were ever seen to differ by. */
const MAX_SHOTS = 10;

/**
 * Strikes at a place until it was hit. A tracer counts every call of a name that a thread makes, also those to load a module or to
 * wake an event loop, of which there are some more or fewer in each run; so each run says what it came to, and the next aim follows
 * from that. Returns whether the place was hit.
 */
export async function strikeAt(
  place: KillPoint,
  strike: (point: KillPoint) => Promise<Shot>,
): Promise<boolean> {
  let { ordinal } = place;
  for (let shots = 1; shots <= MAX_SHOTS; shots++) {
    const shot = await strike({ ...place, ordinal });
    if (shot.isHit) return true;
    // A run that did not come to the call was struck too early.
    ordinal = shot.ordinal ?? ordinal + 1;
  }
  return false;
}
