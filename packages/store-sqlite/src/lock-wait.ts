import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './sqlite-errors.js';

/** SQLite's own wait for a lock, which blocks the event loop; everything longer is waited for asynchronously. */
export const BLOCKING_WAIT_MS = 10;

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 64;

/** Milliseconds to pause before attempt `attempt` (1, 2, ...): random, so that waiting processes do not meet again. */
export function pauseMs(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  return longest / 2 + random() * (longest / 2);
}

export function pause(attempt: number): Promise<void> {
  return delay(pauseMs(attempt));
}

/** Repeats `work` while another process holds a lock, for at most `timeoutMs`; then throws what SQLite said. */
export async function withLockWait<T>(work: () => T, timeoutMs: number): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    await pause(attempt);
  }
}

/** The same for a constructor, which cannot wait asynchronously: blocks the thread between attempts. */
export function withBlockingLockWait<T>(work: () => T, timeoutMs: number): T {
  const giveUpAt = performance.now() + timeoutMs;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    Atomics.wait(sleeper, 0, 0, pauseMs(attempt));
  }
}
