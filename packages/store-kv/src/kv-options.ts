import { type Clock, expected, historyLimit, systemClock } from '@lousho/core/contract';

export interface KVStoreOptions {
  /** Put before every key; empty when absent. */
  readonly prefix?: string;
  /** Seconds, at least 60, after which a record that was not written again expires; it counts for paused runs too. Default: never. */
  readonly ttl?: number;
  /** Saves kept per id for `history()`; 0 keeps none. They are whole copies, one key each. Default 50. */
  readonly historyLimit?: number;
  /** Longest that one write may be put off by the namespace, in milliseconds. Default 10,000. */
  readonly deadlineMs?: number;
  /** Dates the saves and judges the leases; the system's when absent. */
  readonly clock?: Clock;
  /** Waits so many milliseconds; by `setTimeout` when absent. */
  readonly sleep?: (ms: number) => Promise<void>;
}

export interface Settings {
  readonly prefix: string;
  readonly ttl: number | undefined;
  readonly historyLimit: number;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
}

const OPTIONS: ReadonlySet<string> = new Set([
  'prefix',
  'ttl',
  'historyLimit',
  'deadlineMs',
  'clock',
  'sleep',
]);
const SHORTEST_TTL = 60;
/** A key has at most 512 bytes; the longest one puts about 300 behind the prefix. */
const LONGEST_PREFIX = 200;
const DEFAULT_DEADLINE_MS = 10_000;

/** The options with their defaults. Throws `LOUSHO_CONFIG_INVALID` for a value that is none. */
export function readOptions(options: KVStoreOptions): Settings {
  for (const name of Object.keys(options)) {
    if (!OPTIONS.has(name)) throw expected('options', `one of ${[...OPTIONS].join(', ')}`, name);
  }
  const { prefix = '', ttl, deadlineMs = DEFAULT_DEADLINE_MS } = options;
  if (typeof prefix !== 'string' || !/^[\x21-\x7e]*$/.test(prefix) || prefix.length > LONGEST_PREFIX) {
    throw expected('prefix', `at most ${LONGEST_PREFIX} visible ASCII characters`, prefix);
  }
  if (ttl !== undefined && !(Number.isSafeInteger(ttl) && ttl >= SHORTEST_TTL)) {
    throw expected('ttl', `a whole number of seconds >= ${SHORTEST_TTL}`, ttl);
  }
  if (!(Number.isFinite(deadlineMs) && deadlineMs > 0)) {
    throw expected('deadlineMs', 'a number of milliseconds above 0', deadlineMs);
  }
  return {
    prefix,
    ttl,
    historyLimit: historyLimit(options.historyLimit),
    deadlineMs,
    clock: options.clock ?? systemClock,
    sleep: options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(() => resolve(), ms))),
  };
}
