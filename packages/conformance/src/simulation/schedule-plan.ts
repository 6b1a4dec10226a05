import type { Random } from '../world/random.js';
import { drawScript, type Script } from './script.js';
import type { SimulatedWorld } from './world.js';

/** What a seed makes of a schedule before anything runs. */
export interface SchedulePlan {
  readonly sessions: ReadonlyMap<string, Script>;
  /** By how much the clock of each replica is off, in milliseconds. */
  readonly skewsMs: readonly number[];
  /** The clocks are at most so far off. */
  readonly skewMs: number;
  readonly historyLimit: number;
  /** Multiplies the stalls at I/O points. */
  readonly badLuck: number;
  /** When the faults end. */
  readonly calmAt: number;
  /** When somebody sets the host's wall clock, and by how much. */
  readonly wallJump: { readonly at: number; readonly byMs: number } | undefined;
}

/** Ids that a careless store would take for one another. */
const IDS = ['job', 'Job', 'job.fork-1'];

/** Of two schedules of half the size one finds more than one of the whole: most are small. */
const SESSIONS = [...Array<number>(18).fill(1), 2, 3];
const REPLICAS = [...Array<number>(15).fill(2), 3, 3, 3, 4, 5];

export function drawPlan(random: Random, world: SimulatedWorld): SchedulePlan {
  const count = random.pick(SESSIONS);
  const sessions = new Map(IDS.slice(0, count).map((id) => [id, drawScript(random)]));
  const replicas = random.pick(REPLICAS);
  const skewMs = world.hasOwnClocks ? random.pick([0, 15_000, 24_000]) : 0;
  return {
    sessions,
    skewMs,
    skewsMs: Array.from({ length: replicas }, () => random.int(2 * skewMs + 1) - skewMs),
    historyLimit: random.pick([2, 3, 50]),
    badLuck: random.pick([1, 1, 1, 4]),
    calmAt: 120_000 + random.int(180_000),
    wallJump: random.chance(0.15)
      ? { at: random.int(120_000), byMs: random.pick([-3_600_000, 40_000, 3_600_000]) }
      : undefined,
  };
}
