import type { RunEventBody } from './events.js';
import type { RecordTarget } from './recorder.js';

/** How a state comes to be run. */
export interface Beginning {
  /** Absent for a run that is not durable. */
  readonly target?: RecordTarget | undefined;
  readonly isResumed?: boolean;
  /** A person's decision, given in this call, has resumed it. */
  readonly isDecided?: boolean;
  /** What has changed since the run began, to tell. */
  readonly drift?: readonly RunEventBody[];
}
