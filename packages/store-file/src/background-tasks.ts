/** Work that is done behind an answer. What fails is left as it is: nobody waits for it, and later operations find it again. */
export class BackgroundTasks {
  readonly #running = new Set<Promise<void>>();

  start(work: () => Promise<unknown>): void {
    const running: Promise<void> = work().then(
      () => this.#end(running),
      () => this.#end(running),
    );
    this.#running.add(running);
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  async drained(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#running);
  }

  #end(running: Promise<void>): void {
    this.#running.delete(running);
  }
}
