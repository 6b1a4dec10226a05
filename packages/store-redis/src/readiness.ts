import type { Deadline } from './deadline.js';
import { within } from './deadline.js';
import type { RedisClient } from './redis-client.js';
import { isRejectedLogin } from './redis-errors.js';

/** Knows when a client can send. All who wait share one set of listeners. */
export class Readiness {
  #waiting: Promise<void> | undefined;
  /** The last reason for which a connection failed. */
  lastError: unknown;

  constructor(readonly client: RedisClient) {}

  get isReady(): boolean {
    return this.client.status === 'ready';
  }

  /** Rejects with `Overdue`, or with the client's error when it will not connect any more or its login is refused. */
  async wait(deadline: Deadline): Promise<void> {
    if (this.isReady) return;
    this.#waiting ??= this.#untilReady().finally(() => {
      this.#waiting = undefined;
    });
    await within(deadline, this.#waiting);
  }

  #untilReady(): Promise<void> {
    const { client } = this;
    const waiting = new Promise<void>((resolve, reject) => {
      const onReady = () => settle(resolve);
      const onEnd = () => settle(() => reject(this.lastError ?? new Error('Connection is closed.')));
      const onError = (error: unknown) => {
        this.lastError = error;
        if (isRejectedLogin(error)) settle(() => reject(error));
      };
      const listeners = { ready: onReady, end: onEnd, error: onError };
      const settle = (act: () => void) => {
        for (const [event, listener] of Object.entries(listeners)) client.off(event, listener);
        act();
      };
      for (const [event, listener] of Object.entries(listeners)) client.on(event, listener);
      if (client.status === 'end') onEnd();
      if (client.status === 'wait') client.connect().catch(() => {});
    });
    // Everybody who waited may have given up before it settles.
    waiting.catch(() => {});
    return waiting;
  }
}
