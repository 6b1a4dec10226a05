import { join } from 'node:path';
import type { Scene } from '../scene.js';
import { movedTo, type Place } from '../storage/place.js';
import { MUTATING_CALLS } from '../trace/mutating-calls.js';
import type { Trace } from '../trace/strace-line.js';
import { treeAfter } from './cuts.js';
import { readDisk } from './disk.js';
import { DiskReplay } from './disk-events.js';
import { layOut } from './lay-out.js';

/**
 * What is left when the power is cut at the end of a run in which a sync failed: nothing that was not synced, and nothing of what the
 * failed sync was to bring to disk, whatever later ones said. Linux counts those pages as clean, so only a new write brings them there.
 */
export function leftAfterFailedSync(scene: Scene, trace: Trace, folder: string, name: string): Place {
  const replay = new DiskReplay(readDisk(scene.template.folder), folder);
  const mutating: readonly string[] = MUTATING_CALLS;
  for (const call of trace.calls) if (mutating.includes(call.name)) replay.apply(call);
  const tree = treeAfter(replay.disk, { says: 'nothing pending came through', keeps: () => false });
  return movedTo(scene.template, layOut(tree, join(scene.work, name)));
}
