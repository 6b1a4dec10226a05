import { type ScheduleOptions, type ScheduleResult, simulateSchedule } from './simulate-schedule.js';
import type { SimulatedWorld } from './world.js';

export interface SimulationOptions extends ScheduleOptions {
  /** How many schedules; their seeds follow one another. */
  readonly schedules: number;
  /** The first one's seed. Default 1. */
  readonly seed?: number;
  /** Seeds that are run first: those that once failed. */
  readonly first?: readonly number[];
  /** Ends at the first schedule that shows something wrong. Default false. */
  readonly stopAtFirst?: boolean;
  readonly onSchedule?: (result: ScheduleResult) => void;
}

/** What many schedules came to. */
export interface Simulation {
  readonly world: string;
  readonly schedules: number;
  readonly virtualMs: number;
  /** Recorded lease and save calls. */
  readonly calls: number;
  readonly events: number;
  readonly effects: number;
  readonly crashes: number;
  readonly stalls: number;
  /** The schedules that showed something wrong. */
  readonly failures: readonly ScheduleResult[];
}

/** Enough to see what is wrong. */
const MAX_KEPT_FAILURES = 20;
/** So many schedules are run before the event loop gets a turn. */
const BETWEEN_TURNS = 20;

/**
 * Runs schedules one after another; each is one seed. Errors have no stack traces meanwhile, since refusals are errors and there are
 * many: `simulateSchedule` of a seed that failed gives them.
 */
export async function simulate(world: SimulatedWorld, options: SimulationOptions): Promise<Simulation> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await simulated(world, options);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function simulated(world: SimulatedWorld, options: SimulationOptions): Promise<Simulation> {
  const { schedules, seed = 1, first = [], stopAtFirst = false, onSchedule, ...rest } = options;
  const totals = { schedules: 0, virtualMs: 0, calls: 0, events: 0, effects: 0, crashes: 0, stalls: 0 };
  const failures: ScheduleResult[] = [];
  for (const each of [...first, ...seedsFrom(seed, schedules)]) {
    const result = await simulateSchedule(world, each, rest);
    totals.schedules += 1;
    for (const key of ['virtualMs', 'calls', 'events', 'effects', 'crashes', 'stalls'] as const) {
      totals[key] += result[key];
    }
    if (result.violations.length > 0 && failures.length < MAX_KEPT_FAILURES) failures.push(result);
    onSchedule?.(result);
    if (stopAtFirst && failures.length > 0) break;
    if (totals.schedules % BETWEEN_TURNS === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { world: world.name, ...totals, failures };
}

function* seedsFrom(seed: number, count: number): Iterable<number> {
  for (let offset = 0; offset < count; offset++) yield seed + offset;
}
