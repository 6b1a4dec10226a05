import type { VictimOrder } from '../process/victim-order.js';
import type { Scene } from '../scene.js';
import type { Place } from '../storage/place.js';
import type { Shot } from './aim.js';
import type { KillPoint } from './kill-points.js';

/** A way of killing a process at a chosen place. */
export interface Killer {
  /** By the tracer before a system call, or by the process itself before a call of `node:fs`. */
  readonly mode: 'strace' | 'fs shim';
  /** Every place at which the scene's flow can be killed. */
  places(scene: Scene): Promise<readonly KillPoint[]>;
  /** Runs a process and kills it there. */
  strike(blow: Blow): Promise<Hit>;
}

export interface Blow {
  readonly order: VictimOrder;
  readonly place: Place;
  readonly point: KillPoint;
  /** What runs the process and its tracer: `['unshare', '--pid']`. */
  readonly prefix?: readonly string[];
  /** For what the killer writes down. */
  readonly folder: string;
}

/** What became of a process, as its killer wrote it down. */
export interface Hit extends Shot {
  readonly wasKilled: boolean;
  /** How many calls had changed the storage. */
  readonly position: number;
}
