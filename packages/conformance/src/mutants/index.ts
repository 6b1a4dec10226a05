import { approvals } from './approvals.js';
import { claims } from './claims.js';
import { fence } from './fence.js';
import { history } from './history.js';
import { leaseHolder } from './lease-holder.js';
import { leaseRaces } from './lease-races.js';
import { leaseTime } from './lease-time.js';
import { listing } from './listing.js';
import type { Mutant } from './mutant.js';
import { reading } from './reading.js';
import { saveRaces } from './save-races.js';
import { sessions } from './sessions.js';
import { wholeStore } from './whole-store.js';

export { CONTROLS } from './controls.js';
export type { Control, Mutant } from './mutant.js';
export { mutantHarness } from './mutant-harness.js';
export { type MutantRun, runControl, runMutant, type Verdict, verdictOf } from './run-mutant.js';

/** Every way in which the reference store is broken. */
export const MUTANTS: readonly Mutant[] = [
  leaseTime,
  leaseHolder,
  leaseRaces,
  fence,
  saveRaces,
  history,
  reading,
  listing,
  approvals,
  sessions,
  wholeStore,
  claims,
].flat();
