import { join } from 'node:path';
import { runTraced } from '../process/traced-victim.js';
import { traceRun } from '../scene.js';
import { shotAt } from './aim.js';
import { killPoints, positionOf } from './kill-points.js';
import type { Killer } from './killer.js';

export const straceKiller: Killer = {
  mode: 'strace',
  places: async (scene) => {
    const { trace, place } = await traceRun(scene, 'trace');
    return killPoints(trace, place.folder);
  },
  strike: async ({ order, place, point, folder, prefix = [] }) => {
    const log = join(folder, 'trace.txt');
    // Another thread may make its n-th call of this name first, so the trace says which call it was.
    const inject = `${point.call}:signal=KILL:when=${point.ordinal}`;
    const { trace } = await runTraced(order, { log, inject, prefix });
    const wasKilled = trace.killedBy === 'SIGKILL';
    return {
      // Killed at its entry, it never returned.
      ...shotAt(point, trace, place.folder, (result) => wasKilled && result === undefined),
      wasKilled,
      position: positionOf(trace, place.folder),
    };
  },
};
