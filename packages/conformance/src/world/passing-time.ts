import type { Workbench } from './workbench.js';
import type { World } from './world.js';
import { settled, until } from './world-clock.js';

/**
 * Moves time on, but not while a process waits for the store: a storage that answers over a network takes real time, in which the
 * time of the world would run ahead of the heartbeats that are on their way.
 */
export async function passTime(world: World, ms: number, processes: readonly Workbench[]): Promise<void> {
  const isQuiet = () => processes.every(({ storeCalls }) => storeCalls === 0);
  do {
    await until(isQuiet);
    // Takes real time as well, in which a process may have gone on.
    await world.look();
  } while (!isQuiet());
  await world.advance(ms);
  await until(isQuiet);
}

/** Moves time on step by step while something goes on: whoever waits looks again, and no lease of a process that lives runs out. */
export async function whileTimePasses<T>(
  world: World,
  work: Promise<T>,
  { stepMs, processes }: { readonly stepMs: number; readonly processes: readonly Workbench[] },
): Promise<T> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await passTime(world, stepMs, processes);
    await settled();
  }
  return over;
}
