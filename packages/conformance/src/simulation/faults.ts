import type { Random } from '../world/random.js';

/** What happens to a process that reaches a point. */
export type Fault = { readonly kind: 'stall'; readonly ms: number } | { readonly kind: 'crash' };

/** `io`: before and behind each step of a store. `step`: in a model or a tool call. `none`: where no process of ours is. */
export type PointKind = 'io' | 'step' | 'none';

interface Rates {
  readonly stall: number;
  readonly crash: number;
  readonly stallMs: readonly [from: number, to: number];
}

const RATES: Readonly<Record<Exclude<PointKind, 'none'>, Rates>> = {
  step: { stall: 0.16, crash: 0.06, stallMs: [45_000, 145_000] },
  // Rarer, and where the bugs are: between the two halves of a check and an act.
  io: { stall: 0.04, crash: 0.008, stallMs: [20_000, 140_000] },
};

/** `badLuck` multiplies the stalls at I/O points: schedules that differ in their faults find more than many of one kind. */
export function drawFault(kind: PointKind, badLuck: number, random: Random): Fault | undefined {
  if (kind === 'none') return undefined;
  const { stall, crash, stallMs } = RATES[kind];
  if (random.chance(crash)) return { kind: 'crash' };
  if (!random.chance(kind === 'io' ? badLuck * stall : stall)) return undefined;
  const [from, to] = stallMs;
  return { kind: 'stall', ms: from + random.int(to - from) };
}

/** How often a process ends in the middle of what it does in one turn: there are many such moments. */
export const SUDDEN_DEATH = 0.003;
