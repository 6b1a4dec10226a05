/** How long anything may take that is waited for, on a machine on which many processes start at once and others work too. */
export const DEADLINE_MS = 120_000;

/** The promise, or a rejection that names what did not come. */
export async function beforeDeadline<T>(
  promise: Promise<T>,
  what: string,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${deadlineMs} ms for ${what}`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks until the answer is something; rejects with `what` at the deadline. */
export async function until<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  what: string,
  { everyMs = 10, deadlineMs = DEADLINE_MS } = {},
): Promise<T> {
  const endsAt = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > endsAt) throw new Error(`waited ${deadlineMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
