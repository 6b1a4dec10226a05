/** How a call ended: its answer, or the code of its error; and after how long. */
export async function settled(
  call: Promise<unknown>,
): Promise<{ answer?: unknown; code?: string; retryable?: boolean; ms: number }> {
  const startedAt = performance.now();
  try {
    return { answer: await call, ms: performance.now() - startedAt };
  } catch (error) {
    const { code, retryable } = error as { code?: string; retryable?: boolean };
    return {
      ms: performance.now() - startedAt,
      code: code ?? `no code: ${error}`,
      ...(retryable !== undefined && { retryable }),
    };
  }
}
