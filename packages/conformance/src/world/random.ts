/** Seeded randomness: the same seed gives the same numbers on every machine. */
export interface Random {
  readonly seed: number;
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** A list of up to `max` entries. */
  list<T>(max: number, entry: () => T): T[];
}

/** Mulberry32: small, and good enough to choose cases by. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    seed,
    int,
    chance: (probability) => next() < probability,
    pick: (from) => {
      if (from.length === 0) throw new RangeError('nothing to pick from');
      return from[int(from.length)] as (typeof from)[number];
    },
    list: (max, entry) => Array.from({ length: int(max + 1) }, entry),
  };
}

/** A seed of its own for each name, from one that a user gives. */
export function derivedSeed(seed: number, name: string): number {
  let hash = seed >>> 0;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
