import type { Emit } from './events.js';
import type { RunPlan } from './run-plan.js';

/** One call that runs a plan. */
export interface Execution {
  readonly plan: RunPlan;
  /** Names this execution; a run that it starts keeps it. */
  readonly runId: string;
  readonly emit: Emit;
  readonly streamsText: boolean;
}
