import { NotRun } from '../../model/violation.js';
import type { Scene } from '../scene.js';
import { canTrace } from '../tools/strace.js';
import type { Killer } from './killer.js';
import { shimKiller } from './shim-killer.js';
import { straceKiller } from './strace-killer.js';

/** The best way that there is here, or the one that was asked for. Rejects when there is none. */
export async function killerFor(scene: Scene, mode?: Killer['mode']): Promise<Killer> {
  if (mode !== 'fs shim' && canTrace()) return straceKiller;
  if ((await shimKiller.places(scene)).length > 0) return shimKiller;
  throw new NotRun('the store writes past node:fs, and strace is missing or was not asked for');
}
