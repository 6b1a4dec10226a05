import type { Entry } from './record-line.js';

/**
 * How the records of one kind of log add up to a state. A pure function of the log: no clock, no option of the process. The state
 * belongs to the log that folds it and is changed in place, since it can hold a whole transcript.
 */
export interface Fold<S> {
  /** What the records are, for messages: `checkpoint`. */
  readonly noun: string;
  empty(): S;
  /** Moves the state on. Returns why the record is illegal in this state, and then changes nothing. */
  apply(state: S, entry: Entry<Record<string, unknown>>): string | undefined;
  snapshot(state: S): Entry;
  restore(entry: Entry<Record<string, unknown>>): S;
  /** About how many bytes a snapshot of the state takes. */
  size(state: S): number;
  /** The newest revision in the state, for the error that reports damage behind it. */
  revision(state: S): number | undefined;
  /** The highest epoch or revision given out, which a later incarnation of the id has to exceed. */
  highest(state: S): number;
}
