import { vi } from 'vitest';

/** Waits for a condition as long as a busy machine may need, and no longer than it takes. */
export async function until(condition: () => unknown): Promise<void> {
  await vi.waitUntil(condition, { timeout: 25_000, interval: 10 });
}
