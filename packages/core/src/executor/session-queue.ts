/**
 * One line per session id within a process: calls on one id of one store run one after another, in call order, whichever agent
 * makes them.
 */
export class SessionQueue {
  static #queues = new WeakMap<object, SessionQueue>();

  /** The queue of a store; the same store always has the same one. */
  static of(store: object): SessionQueue {
    const known = SessionQueue.#queues.get(store) ?? new SessionQueue();
    SessionQueue.#queues.set(store, known);
    return known;
  }

  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(sessionId) ?? Promise.resolve();
    const result = before.then(work, work);
    const tail: Promise<void> = result.then(
      () => this.#leave(sessionId, tail),
      () => this.#leave(sessionId, tail),
    );
    this.#tails.set(sessionId, tail);
    return result;
  }

  /** Whether a call on the id is going on or waiting. */
  isBusy(sessionId: string): boolean {
    return this.#tails.has(sessionId);
  }

  #leave(sessionId: string, tail: Promise<unknown>): void {
    if (this.#tails.get(sessionId) === tail) this.#tails.delete(sessionId);
  }
}
