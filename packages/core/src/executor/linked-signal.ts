/** Makes a controller fire with the first of other signals. What it returns lets go of them: a long-lived signal keeps no listener. */
export function follow(controller: AbortController, sources: readonly AbortSignal[]): () => void {
  const abort = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const source of sources) {
    if (source.aborted) controller.abort(source.reason);
    else source.addEventListener('abort', abort, { once: true });
  }
  return () => {
    for (const source of sources) source.removeEventListener('abort', abort);
  };
}

/** A signal of a run, until it is disposed. */
export interface StopSignal {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** What stops a run: its caller's abort, or the loss of its lease. The caller's signal may outlive the run, so nobody else gets it. */
export function stopSignal(aborted: AbortSignal | undefined, lost: AbortSignal | undefined): StopSignal {
  // Signals are dear. The lease's is the run's own, and will do where there is no other.
  if (!aborted && lost) return { signal: lost, dispose: () => undefined };
  const controller = new AbortController();
  const sources = [aborted, lost].filter((source) => source !== undefined);
  return { signal: controller.signal, dispose: follow(controller, sources) };
}
