import type { Claims } from '../model/claims.js';
import type { ConformanceHarness } from '../model/harness.js';
import type { Needs } from '../model/needs.js';
import type { Outcome } from '../model/outcome.js';
import type { Killer } from './kill/killer.js';
import type { Inspector } from './process/start-inspector.js';
import type { Scene } from './scene.js';

/** One fault in one situation: what is done to a store's processes or disk, and what must be so afterwards. */
export interface FaultCell {
  /** `kill:F1`; public cases that it keeps from coming back stand behind it: `threads:leases:A19`. */
  readonly id: string;
  readonly says: string;
  readonly needs: Needs;
  /** Rejects with `NotRun` when it cannot run here. */
  run(bench: Bench): Promise<Figures>;
}

/** What a cell works with. */
export interface Bench {
  readonly harness: ConformanceHarness;
  readonly claims: Claims;
  /** A folder of the cell's own. */
  readonly work: string;
  /** `sampled` takes seconds, `full` minutes. */
  readonly size: 'sampled' | 'full';
  readonly seed: number;
  /** Whether the first broken promise is enough. */
  readonly untilFirst: boolean;
  /** Default: by strace where it may be used. */
  readonly killBy?: Killer['mode'];
  /** Processes that look at storages, as many as work at once. */
  readonly inspectors: readonly Inspector[];
  /** A flow's scene, which is prepared once. */
  scene(flow: string): Promise<Scene>;
}

/** What was counted. An inconsistency is a broken promise. */
export interface Figures {
  readonly killed?: number;
  readonly places?: number;
  readonly reached?: number;
  readonly states?: number;
  readonly moments?: number;
  readonly injected?: number;
  readonly refusals?: number;
  readonly stopped?: number;
  readonly trials?: number;
  /** By what processes were recorded, killed or stopped, where there is more than one way. */
  readonly mode?: 'strace' | 'fs shim';
  readonly inconsistent: readonly string[];
}

export interface CellResult {
  readonly cell: FaultCell;
  readonly outcome: Outcome;
  readonly figures?: Figures;
}
