/** Work that is under way, some of which nobody waits for. */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  /** Nobody waits for it, and its failure is nobody's: what it leaves behind is found by a prune. */
  run(work: () => Promise<void>): void {
    const result = work().catch(() => undefined);
    this.#track(result);
  }

  track<T>(result: Promise<T>): Promise<T> {
    this.#track(result.catch(() => undefined));
    return result;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #track(result: Promise<unknown>): void {
    this.#running.add(result);
    void result.finally(() => this.#running.delete(result));
  }
}
