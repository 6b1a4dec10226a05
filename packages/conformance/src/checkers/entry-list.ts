import { isUnknown, type RecordedCall } from './recorded-call.js';

/** The calls and returns that are not explained yet, in order: taking a call out and putting it back costs a few links (Lowe). */
export interface EntryList {
  readonly size: number;
  /** Entry 0 is before the first; `next` of the last is `end`. */
  readonly end: number;
  next(entry: number): number;
  /** The call that an entry begins; -1 for the return of one. */
  callOf(entry: number): number;
  /** Takes a call and its return out. */
  lift(entry: number): void;
  /** Puts back what was lifted last. */
  unlift(entry: number): void;
}

/** `calls`: those with an answer first. One without has no return, so that it may take effect at any later moment, or never. */
export function entryList(calls: readonly RecordedCall[]): EntryList {
  const events = calls.flatMap((call, index) => [
    { at: call.calledAt, call: index },
    ...(isUnknown(call) ? [] : [{ at: call.returnedAt, call: -1 - index }]),
  ]);
  events.sort((a, b) => a.at - b.at);
  const end = events.length + 1;
  const next = new Int32Array(end + 1);
  const before = new Int32Array(end + 1);
  const call = new Int32Array(end + 1).fill(-1);
  const returns = new Int32Array(end + 1).fill(-1);
  const begins = new Int32Array(calls.length);
  for (let entry = 0; entry <= end; entry++) {
    next[entry] = entry + 1;
    before[entry] = entry - 1;
  }
  events.forEach((event, index) => {
    const entry = index + 1;
    if (event.call >= 0) {
      call[entry] = event.call;
      begins[event.call] = entry;
    } else {
      returns[begins[-1 - event.call] as number] = entry;
    }
  });

  function unlink(entry: number): void {
    next[before[entry] as number] = next[entry] as number;
    before[next[entry] as number] = before[entry] as number;
  }

  function relink(entry: number): void {
    next[before[entry] as number] = entry;
    before[next[entry] as number] = entry;
  }

  return {
    size: calls.length,
    end,
    next: (entry) => next[entry] as number,
    callOf: (entry) => call[entry] as number,
    lift: (entry) => {
      unlink(entry);
      const end = returns[entry] as number;
      if (end >= 0) unlink(end);
    },
    unlift: (entry) => {
      const end = returns[entry] as number;
      if (end >= 0) relink(end);
      relink(entry);
    },
  };
}
