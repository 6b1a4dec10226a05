import { setTimeout as delay } from 'node:timers/promises';
import { type Deadline, within } from './deadline.js';
import type { RedisClient } from './redis-client.js';
import { isRejectedLogin } from './redis-errors.js';

const PAUSE_MS = 50;

/**
 * Knows when a client can send. All who wait share one set of listeners. ioredis gives a client up for good when its connecting was
 * broken off, as Sentinel's word of a failover does; one that is the store's own then connects anew.
 */
export class Readiness {
  #waiting: Promise<void> | undefined;
  /** The last reason for which a connection failed. */
  lastError: unknown;

  constructor(
    readonly client: RedisClient,
    /** Nobody but the store ends it. */
    readonly isOwn: boolean,
  ) {}

  get isReady(): boolean {
    return this.client.status === 'ready';
  }

  /** Rejects with `Overdue`, or with the client's error when it will not connect any more or its login is refused. */
  async wait(deadline: Deadline): Promise<void> {
    while (!this.isReady) {
      this.#waiting ??= this.#untilReady().finally(() => {
        this.#waiting = undefined;
      });
      try {
        await within(deadline, this.#waiting);
      } catch (error) {
        if (!(error instanceof Ended)) throw error;
        if (!this.isOwn || deadline.leftMs <= PAUSE_MS) throw error.cause;
        await delay(PAUSE_MS);
      }
    }
  }

  #untilReady(): Promise<void> {
    const { client } = this;
    const waiting = new Promise<void>((resolve, reject) => {
      const onReady = () => settle(resolve);
      const onEnd = () =>
        settle(() => reject(new Ended(this.lastError ?? new Error('Connection is closed.'))));
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
      const isToConnect = client.status === 'wait' || (client.status === 'end' && this.isOwn);
      if (isToConnect) client.connect().catch(() => {});
      else if (client.status === 'end') onEnd();
    });
    // Everybody who waited may have given up before it settles.
    waiting.catch(() => {});
    return waiting;
  }
}

/** The client does not connect by itself any more. */
class Ended extends Error {
  constructor(override readonly cause: unknown) {
    super();
  }
}
