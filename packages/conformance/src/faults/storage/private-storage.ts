import type { ConformanceHarness } from '../../model/harness.js';
import { NotRun } from '../../model/violation.js';
import { worldClock } from '../../world/world-clock.js';

/** A storage that other processes open, for as long as `work` takes. */
export async function inStorage<T>(
  harness: ConformanceHarness,
  work: (asking: { readonly module: string; readonly config: unknown }) => Promise<T>,
): Promise<T> {
  const storage = await harness.createStorage({ clock: worldClock() });
  try {
    if (harness.module === undefined || storage.config === undefined)
      throw new NotRun('the harness names no module and config by which another process reaches the storage');
    return await work({ module: harness.module, config: storage.config });
  } finally {
    await storage.dispose();
  }
}
