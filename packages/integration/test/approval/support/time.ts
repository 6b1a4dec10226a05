import type { VirtualTimers } from '@lousho/core/testing';

/** Moves time on until the promise has settled, and gives what it settled to. */
export async function drive<T>(timers: VirtualTimers, promise: Promise<T>, stepMs = 100): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  for (let step = 0; !isSettled && step < 1_000; step++) await timers.advance(stepMs);
  return settled;
}

/** Waits until the condition holds; fails the test when it does not within 5 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
