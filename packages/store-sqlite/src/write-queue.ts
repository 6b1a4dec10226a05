import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause } from './lock-wait.js';
import { isBusy } from './sqlite-errors.js';

/** Runs the function in one transaction: all of it is stored when this returns, none of it when it throws. */
export type InTransaction = <T>(work: () => T) => T;

interface Job {
  readonly work: () => unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** `performance.now()` after which a lock is no longer waited for. */
  readonly giveUpAt: number;
}

/** A transaction takes no more jobs after so long, so that timers and sockets get their turn. */
const LONGEST_BATCH_MS = 50;

/**
 * Group commit: all writes of one turn of the event loop are one transaction, and each gets its own answer after the commit. A
 * job may run more than once (its first run is rolled back), so it must change nothing but the database.
 */
export class WriteQueue {
  #waiting: Job[] = [];
  #draining: Promise<void> | undefined;

  constructor(
    readonly inTransaction: InTransaction,
    readonly busyTimeoutMs: number,
  ) {}

  run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        work,
        resolve: resolve as (answer: unknown) => void,
        reject,
        giveUpAt: performance.now() + this.busyTimeoutMs,
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Ends when nothing waits for its transaction any more; `undefined` when nothing does. */
  get draining(): Promise<void> | undefined {
    return this.#draining;
  }

  async #drain(): Promise<void> {
    let refusals = 0;
    while (this.#waiting.length > 0) {
      await (refusals === 0 ? nextTurn() : pause(refusals));
      refusals = this.#commit() ? 0 : refusals + 1;
    }
    this.#draining = undefined;
  }

  /**
   * `false` when another process holds the lock: those that may still wait are waiting again, in their order. All of it runs
   * without a pause, so that nothing else can have been queued meanwhile.
   */
  #commit(): boolean {
    const jobs = this.#waiting;
    this.#waiting = [];
    try {
      const answers = this.inTransaction(() => runSome(jobs));
      this.#waiting = jobs.slice(answers.length);
      answers.forEach((answer, at) => {
        jobs[at]?.resolve(answer);
      });
      return true;
    } catch (error) {
      if (isBusy(error)) return this.#postpone(jobs, error);
      if (jobs.length > 1) return this.#commitOneByOne(jobs);
      jobs[0]?.reject(error);
      return true;
    }
  }

  /** After a failure: transactions of one job each, until the one that fails is found; the rest may be together again. */
  #commitOneByOne(jobs: readonly Job[]): boolean {
    const startedAt = performance.now();
    for (const [at, job] of jobs.entries()) {
      const rest = jobs.slice(at + 1);
      try {
        const answer = this.inTransaction(job.work);
        job.resolve(answer);
        if (performance.now() - startedAt <= LONGEST_BATCH_MS) continue;
      } catch (error) {
        if (isBusy(error)) return this.#postpone([job, ...rest], error);
        job.reject(error);
      }
      this.#waiting = rest;
      return true;
    }
    return true;
  }

  #postpone(jobs: readonly Job[], error: unknown): false {
    const now = performance.now();
    this.#waiting = jobs.filter((job) => now < job.giveUpAt);
    for (const job of jobs) {
      if (now >= job.giveUpAt) job.reject(error);
    }
    return false;
  }
}

function runSome(jobs: readonly Job[]): unknown[] {
  const startedAt = performance.now();
  const answers: unknown[] = [];
  for (const job of jobs) {
    if (answers.length > 0 && performance.now() - startedAt > LONGEST_BATCH_MS) break;
    answers.push(job.work());
  }
  return answers;
}
