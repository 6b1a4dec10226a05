/** Runs the tasks of one key one after another and those of different keys side by side, so many at a time. */
export class SerialQueues {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(width: number) {
    this.#free = width;
  }

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(() => this.#withSlot(task));
    const tail: Promise<void> = result.then(
      () => this.#forget(key, tail),
      () => this.#forget(key, tail),
    );
    this.#tails.set(key, tail);
    return result;
  }

  get isIdle(): boolean {
    return this.#tails.size === 0;
  }

  /** Resolves when nothing is under way or waiting. */
  async drained(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#tails.values());
  }

  async #withSlot<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  #forget(key: string, tail: Promise<void>): void {
    if (this.#tails.get(key) === tail) this.#tails.delete(key);
  }
}
