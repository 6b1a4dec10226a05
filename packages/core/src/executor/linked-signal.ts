/** A signal that fires with the first of others, and lets go of them when disposed: a long-lived signal keeps no listener behind. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  dispose(): void;
}

export function linkSignals(sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const linked = sources.filter((source) => source !== undefined);
  const abort = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const source of linked) {
    if (source.aborted) controller.abort(source.reason);
    else source.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    dispose: () => {
      for (const source of linked) source.removeEventListener('abort', abort);
    },
  };
}
