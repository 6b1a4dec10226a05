/** An instant until which something has to be settled, in this process's monotonic time. */
export class Deadline {
  readonly #at: number;

  constructor(readonly ms: number) {
    this.#at = performance.now() + ms;
  }

  get leftMs(): number {
    return Math.max(0, this.#at - performance.now());
  }

  get isOver(): boolean {
    return this.leftMs === 0;
  }
}

/** What `within` rejects with when the time is over. */
export class Overdue extends Error {}

/** The promise's own outcome if it comes in time. A reply that is already here when a stalled process goes on counts as in time. */
export function within<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      // After a stall the timer comes first, and the socket is read in the same turn behind it.
      setImmediate(() => setImmediate(reject, new Overdue()));
    }, deadline.leftMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
