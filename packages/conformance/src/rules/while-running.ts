/** Looks again and again while something runs, and waits for its end even when what is seen is wrong. */
export async function whileRunning(work: Promise<unknown>, look: () => Promise<void>): Promise<void> {
  let isRunning = true;
  const ended = Promise.allSettled([work]).then(() => {
    isRunning = false;
  });
  try {
    while (isRunning) {
      await look();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  } finally {
    await ended;
  }
  await work;
}
