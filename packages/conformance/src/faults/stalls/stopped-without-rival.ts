import { setTimeout as sleep } from 'node:timers/promises';
import type { ConformanceHarness } from '../../model/harness.js';
import { ID } from '../../world/builders.js';
import { startElsewhere } from '../../world/elsewhere.js';
import { nextCheckpoint } from '../flows/steps.js';
import { inStorage } from '../storage/private-storage.js';

const TTL_MS = 150;

/** As a laptop that slept: nobody took the lease, so the store lets its holder go on (A16). */
export function stoppedWithoutRival(harness: ConformanceHarness): Promise<readonly string[]> {
  return inStorage(harness, async ({ module, config }) => {
    const holder = await startElsewhere(module, config);
    try {
      const { checkpoints } = holder;
      await checkpoints.acquireLease(ID, 'worker-a', TTL_MS);
      holder.stop();
      await sleep(3 * TTL_MS);
      holder.goOn();
      const isSaved = await checkpoints.saveIfLeased(ID, nextCheckpoint(null, ID, 'worker-a'), 'worker-a');
      return isSaved ? [] : ['the save of a holder whom nobody replaced was fenced'];
    } finally {
      await holder.kill();
    }
  });
}
