import type { KillOrder } from '../kill/fs-shim.js';
import type { Ids } from '../storage/storage-state.js';

/** What a process is started for. Plain JSON. */
export interface VictimOrder {
  readonly module: string;
  readonly config: unknown;
  /** A file outside the storage. */
  readonly journal: string;
  readonly flow: string;
  readonly part: 'prepare' | 'run';
  readonly owner: string;
  /** Where the process kills itself, when nothing outside does. */
  readonly shim?: KillOrder;
  /** Does nothing before a tracer has come, which counts its calls. */
  readonly awaitsTracer?: boolean;
  /** Lives with refusals: looks at these ids, and makes the call again. */
  readonly looks?: Ids;
}
