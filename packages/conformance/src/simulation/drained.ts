/**
 * Resolves when no microtask is left: the tick that is asked for within the microtasks comes behind the last of them. A turn of the
 * event loop would do the same at many times the cost.
 */
export function drained(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
