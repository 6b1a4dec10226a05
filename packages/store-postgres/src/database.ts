import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, type Row, type Statement } from './attempt.js';
import { StatementFailure } from './failure.js';
import type { PostgresPool } from './postgres-pool.js';

/** The server as the rest of the store sees it: statements that end by a deadline, transient failures tried again. */
export class Database {
  readonly #running = new Set<Promise<unknown>>();
  #ready: Promise<void> | undefined;

  constructor(
    readonly pool: PostgresPool,
    readonly deadlineMs: number,
    /** Makes the tables ready; called before the first statement, and again should that have failed. */
    readonly prepare: (timeoutMs: number) => Promise<void>,
  ) {}

  /** A statement that is harmless when it is done twice. */
  run(
    text: string,
    values: readonly unknown[] = [],
    deadline = performance.now() + this.deadlineMs,
  ): Promise<readonly Row[]> {
    return this.track(() =>
      this.#until(deadline, async (timeoutMs) => {
        await this.#prepared(timeoutMs);
        return attempt(this.pool, { text, values }, timeoutMs);
      }),
    );
  }

  /** One attempt, for callers that decide about failures themselves. */
  async once(statement: Statement, deadline: number): Promise<readonly Row[]> {
    const timeoutMs = attemptMs(deadline, this.deadlineMs);
    await this.#prepared(timeoutMs);
    return attempt(this.pool, statement, timeoutMs);
  }

  ready(): Promise<void> {
    const deadline = performance.now() + this.deadlineMs;
    return this.track(() => this.#until(deadline, (timeoutMs) => this.#prepared(timeoutMs)));
  }

  /** Counts the work as running, so that closing waits for it. */
  track<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#running.add(running);
    const forget = () => this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  /** Resolves once nothing runs any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #prepared(timeoutMs: number): Promise<void> {
    this.#ready ??= this.prepare(timeoutMs).catch((error: unknown) => {
      this.#ready = undefined;
      const isLost = error instanceof StatementFailure && error.kind === 'lost';
      // The caller's own statement was never sent.
      throw isLost ? new StatementFailure('unavailable', error.cause) : error;
    });
    return this.#ready;
  }

  async #until<T>(deadline: number, work: (timeoutMs: number) => Promise<T>): Promise<T> {
    let lost: StatementFailure | undefined;
    for (let attempts = 1; ; attempts++) {
      try {
        return await work(attemptMs(deadline, this.deadlineMs));
      } catch (error) {
        if (!(error instanceof StatementFailure)) throw error;
        if (error.kind === 'lost') lost = error;
        const pause = pauseMs(attempts);
        if (error.kind === 'refused' || performance.now() + pause >= deadline) throw lost ?? error;
        await sleep(pause);
      }
    }
  }
}

/** Half of the time for the first attempt: when its answer never comes, there is time left to find out. */
export function attemptMs(deadline: number, deadlineMs: number): number {
  const left = deadline - performance.now();
  return Math.max(1, left > deadlineMs * 0.6 ? deadlineMs / 2 : left);
}

const LONGEST_PAUSE_MS = 500;

/** With jitter, so that those who met once do not meet again. */
export function pauseMs(attempts: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempts * 2);
}
