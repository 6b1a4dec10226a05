import type { KVNamespace } from './kv-namespace.js';

/**
 * What changes one record runs one after the other, in all stores of this process over the namespace. KV has no conditional write:
 * this is the part of it that one process can make up for by itself.
 */
export class SerialQueues {
  readonly #tails = new Map<string, Promise<unknown>>();

  static of(kv: KVNamespace): SerialQueues {
    const known = queues.get(kv) ?? new SerialQueues();
    queues.set(kv, known);
    return known;
  }

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return result;
  }

  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}

const queues = new WeakMap<KVNamespace, SerialQueues>();
