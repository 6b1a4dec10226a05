import type { PartStream, StreamPart } from './ai-sdk-model.js';

/** The parts of a stream, until it ends or the signal fires. Whoever stops reading closes the stream, and so the request behind it. */
export async function* readParts(
  stream: PartStream,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamPart> {
  const reader = stream.getReader();
  // A read that is going on ends at once, also where the model does not listen to the signal.
  const cancel = () => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    if (signal?.aborted) return;
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}
