/**
 * Hands the calls on one id to a store in the order in which they were made, although some take longer to prepare than others. Only
 * the handing over waits: the store sees calls of one id side by side, as if it had been called directly.
 */
export class CallOrder {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T, R>(id: string, ready: Promise<T> | T, call: (prepared: T) => Promise<R>): Promise<R> {
    const before = this.#last.get(id);
    // In a box, so that waiting for the call to be made is not waiting for its answer.
    const made = (async () => {
      const prepared = await ready;
      await before;
      return { answer: call(prepared) };
    })();
    const settled = made.then(
      ({ answer }) => void answer.catch(() => undefined),
      () => undefined,
    );
    this.#last.set(id, settled);
    try {
      const { answer } = await made;
      return await answer;
    } finally {
      if (this.#last.get(id) === settled) this.#last.delete(id);
    }
  }
}
