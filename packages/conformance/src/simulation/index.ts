export { BROKEN, type Broken, EQUIVALENT } from './broken.js';
export { failedSeeds } from './failed-seeds.js';
export { pointedStore } from './pointed-store.js';
export { referenceWorld } from './reference-world.js';
export { type Simulation, type SimulationOptions, simulate } from './simulate-many.js';
export {
  type MutantFinding,
  type MutantSearch,
  type SimulatedMutant,
  simulateMutant,
} from './simulate-mutant.js';
export { type ScheduleOptions, type ScheduleResult, simulateSchedule } from './simulate-schedule.js';
export type { Seat, SimulatedStorage, SimulatedStorageOptions, SimulatedWorld } from './world.js';
