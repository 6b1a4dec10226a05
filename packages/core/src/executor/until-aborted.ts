/** What `untilAborted` gives when the signal was faster. */
export const ABORTED = Symbol('aborted');

/** The promise's value, or ABORTED as soon as the signal fires; what the promise does later is nobody's concern. */
export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T | typeof ABORTED> {
  let onAbort = () => {};
  const aborted = new Promise<typeof ABORTED>((resolve) => {
    onAbort = () => resolve(ABORTED);
    signal.addEventListener('abort', onAbort, { once: true });
    // Fired during the call itself, before there was a listener.
    if (signal.aborted) onAbort();
  });
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, aborted]);
  } catch (error) {
    if (signal.aborted) return ABORTED;
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
