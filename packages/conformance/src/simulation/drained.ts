/**
 * Calls `step` again and again, each time when no microtask is left, until it has an outcome. The tick that is asked for within the
 * microtasks comes behind the last of them; a turn of the event loop would do the same at many times the cost.
 */
export function whenDrained<T>(step: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const next = () => process.nextTick(take);
    const take = () => {
      try {
        const outcome = step();
        if (outcome !== undefined) return resolve(outcome);
      } catch (error) {
        return reject(error);
      }
      behindTheOthers(next);
    };
    behindTheOthers(next);
  });
}

const SETTLED = Promise.resolve();

/** As `queueMicrotask`, without what Node does around it. */
function behindTheOthers(work: () => void): void {
  void SETTLED.then(work);
}
