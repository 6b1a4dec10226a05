import type { Checkpoint } from '../contract/index.js';
import type { Emit } from './events.js';
import type { LiveInput } from './live-input.js';
import type { RunPlan } from './run-plan.js';
import type { Delegation } from './subagents/delegates.js';

/** What a run owes to the session whose turn it is. */
export interface TurnDuties {
  readonly sessionId: string;
  /** Asked under the lease, before anything runs; rejects when the session has gone on without this turn. */
  confirm(stored: Checkpoint | null): Promise<void>;
  /** Done before the run's record says that it waits for a person, so that no crash comes in between. */
  beforePause(approvalId: string): Promise<void>;
  /** An abort ends the turn: its record is finished then, and whoever finds it adds it to the transcript. */
  readonly endsWithAbort: boolean;
}

/** One call that runs a plan. */
export interface Execution {
  readonly plan: RunPlan;
  /** Names this execution; a run that it starts keeps it. */
  readonly runId: string;
  readonly emit: Emit;
  readonly streamsText: boolean;
  /** What people say while it runs. */
  readonly input?: LiveInput | undefined;
  /** Asked when the call's turn in its session's line has come; rejects to refuse it. */
  readonly precheck?: (() => Promise<void>) | undefined;
  /** Where the run is a turn of a session. */
  readonly turn?: TurnDuties | undefined;
  /** Where the run is a sub-agent's. */
  readonly delegation?: Delegation | undefined;
}
