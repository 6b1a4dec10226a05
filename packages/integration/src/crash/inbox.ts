import type { ChildMessage } from './child-message.js';

/** Messages that wait to be asked for, and takers that wait for a message; each message goes to one taker. */
export class Inbox {
  #messages: ChildMessage[] = [];
  #takers: Taker[] = [];
  #failure: Error | undefined;

  put(message: ChildMessage): void {
    const taker = this.#takers.find(({ kinds }) => kinds.includes(message.kind));
    if (!taker) {
      this.#messages.push(message);
      return;
    }
    this.#takers = this.#takers.filter((other) => other !== taker);
    taker.resolve(message);
  }

  /** The next message of one of these kinds. Rejects once nothing can come any more. */
  take(kinds: readonly string[]): Promise<ChildMessage> {
    const message = this.#messages.find(({ kind }) => kinds.includes(kind));
    if (message) {
      this.#messages = this.#messages.filter((other) => other !== message);
      return Promise.resolve(message);
    }
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#takers.push({ kinds, resolve, reject }));
  }

  /** Nothing comes any more; what has come can still be taken. */
  end(failure: Error): void {
    this.#failure = failure;
    for (const taker of this.#takers) taker.reject(failure);
    this.#takers = [];
  }
}

interface Taker {
  readonly kinds: readonly string[];
  readonly resolve: (message: ChildMessage) => void;
  readonly reject: (failure: Error) => void;
}
