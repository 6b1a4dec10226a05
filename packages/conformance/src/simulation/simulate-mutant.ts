import type { ReferenceClasses } from '../reference/reference-store.js';
import { referenceWorld } from './reference-world.js';
import { simulate } from './simulate-many.js';
import type { ScheduleOptions, ScheduleResult } from './simulate-schedule.js';

/** Something broken on purpose: parts of the reference store, or what stands between the executor and the store. */
export interface SimulatedMutant extends ScheduleOptions {
  readonly name: string;
  readonly classes?: Partial<ReferenceClasses>;
}

export interface MutantSearch {
  /** Give up after so many schedules. */
  readonly schedules: number;
  /** Default 1. */
  readonly seed?: number;
}

/** What a search for a mutant came to. */
export type MutantFinding =
  | { readonly isFound: true; readonly schedules: number; readonly failure: ScheduleResult }
  | { readonly isFound: false; readonly schedules: number };

/** Runs schedules over a mutant until one shows that it is broken. */
export async function simulateMutant(mutant: SimulatedMutant, search: MutantSearch): Promise<MutantFinding> {
  const { name, classes, ...options } = mutant;
  const world = referenceWorld({ name, ...(classes && { classes }) });
  const { schedules, failures } = await simulate(world, { ...options, ...search, stopAtFirst: true });
  const [failure] = failures;
  return failure ? { isFound: true, schedules, failure } : { isFound: false, schedules };
}
