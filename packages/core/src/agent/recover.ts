import { positiveInteger, SessionAwaitingApprovalError, SessionBusyError } from '../contract/index.js';
import type { ExecutionResult } from '../executor/execution-result.js';
import { assertKnownOptions } from '../executor/option-checks.js';
import type { Timers } from '../ports/index.js';
import type { PendingRun } from './pending-run.js';

export interface RecoverOptions {
  /** Milliseconds between two looks. Default 30,000. */
  readonly intervalMs?: number;
  /** Runs that are resumed at a time. Default 16. */
  readonly concurrency?: number;
  /** Aborting does the same as `stop()`. */
  readonly signal?: AbortSignal;
  /** Each run that was resumed and came to a result. */
  readonly onRecovered?: (run: PendingRun, result: ExecutionResult) => void | Promise<void>;
  /** A look that failed (`run` is undefined), a resume that failed, or an `onRecovered` that threw. */
  readonly onError?: (error: unknown, run?: PendingRun) => void;
}

/** A recovery loop. It keeps the process alive until it is stopped. */
export interface Recovery {
  /** Stops looking, aborts the resumes that are going on (their checkpoints stay), and resolves when all have settled. */
  stop(): Promise<void>;
  /** Resolves when the loop has stopped. */
  readonly done: Promise<void>;
}

/** What the loop needs of its agent. */
export interface RecoveryParts {
  readonly timers: Timers;
  pending(): Promise<readonly PendingRun[]>;
  /** The approvals that are still to be decided; `undefined` where there is no place to look. */
  undecided(): Promise<ReadonlySet<string> | undefined>;
  /** `null` when the run is finished by now, or when somebody else runs it. */
  resume(run: PendingRun, signal: AbortSignal): Promise<ExecutionResult | null>;
  /** Told what a look has found. */
  onLook(runs: readonly PendingRun[]): void;
  /** Whether a call of this process works on the id: then there is nothing to recover. */
  isRunningHere(sessionId: string): boolean;
}

const OPTIONS = [
  'intervalMs',
  'concurrency',
  'signal',
  'onRecovered',
  'onError',
] as const satisfies readonly (keyof RecoverOptions)[];

export function startRecovery(parts: RecoveryParts, options: RecoverOptions = {}): Recovery {
  assertKnownOptions('recover()', options, OPTIONS);
  const loop = new RecoveryLoop(parts, options);
  const done = loop.run();
  return { stop: () => loop.stop().then(() => done), done };
}

const DEFAULT_INTERVAL_MS = 30_000;
const DEFAULT_CONCURRENCY = 16;

interface ActiveResume {
  readonly controller: AbortController;
  readonly settled: Promise<void>;
}

class RecoveryLoop {
  readonly #intervalMs: number;
  readonly #concurrency: number;
  #isStopped = false;
  readonly #active = new Map<string, ActiveResume>();
  /** Ends the pause that is going on. */
  #wake = (): void => undefined;

  constructor(
    readonly parts: RecoveryParts,
    readonly options: RecoverOptions,
  ) {
    this.#intervalMs = positiveInteger('intervalMs', options.intervalMs ?? DEFAULT_INTERVAL_MS);
    this.#concurrency = positiveInteger('concurrency', options.concurrency ?? DEFAULT_CONCURRENCY);
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    const stop = () => this.#stop(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    while (!this.#isStopped) {
      await this.#sweep();
      await this.#pause();
    }
    signal?.removeEventListener('abort', stop);
    await Promise.all(this.#settlements());
  }

  async stop(): Promise<void> {
    this.#stop(new DOMException('the recovery was stopped', 'AbortError'));
  }

  #stop(reason: unknown): void {
    this.#isStopped = true;
    this.#wake();
    for (const { controller } of this.#active.values()) controller.abort(reason);
  }

  #settlements(): Promise<void>[] {
    return [...this.#active.values()].map(({ settled }) => settled);
  }

  async #sweep(): Promise<void> {
    for (const run of await this.#recoverable()) {
      while (this.#active.size >= this.#concurrency) await Promise.race(this.#settlements());
      if (this.#isStopped) return;
      // A resume that takes longer than the interval is still the one resume of its run.
      if (this.#active.has(run.sessionId) || this.parts.isRunningHere(run.sessionId)) continue;
      // A signal of its own: many listeners on one signal look like a leak to Node.
      const controller = new AbortController();
      const settled = this.#resume(run, controller.signal).finally(() => this.#active.delete(run.sessionId));
      this.#active.set(run.sessionId, { controller, settled });
    }
  }

  async #recoverable(): Promise<readonly PendingRun[]> {
    try {
      const runs = await this.parts.pending();
      this.parts.onLook(runs);
      const isPaused = runs.some((run) => run.status === 'awaiting-approval');
      const undecided = isPaused ? await this.parts.undecided() : undefined;
      const now = this.parts.timers.now();
      return runs.filter((run) => isRecoverable(run, { undecided, now }));
    } catch (error) {
      this.#report(error);
      return [];
    }
  }

  async #resume(run: PendingRun, signal: AbortSignal): Promise<void> {
    try {
      const result = await this.parts.resume(run, signal);
      if (result && result.finishReason !== 'aborted') await this.options.onRecovered?.(run, result);
    } catch (error) {
      // Somebody else runs it, its crashed holder's lease has not expired, or it waits for a person: a later sweep looks again.
      const isTurnedAway = error instanceof SessionBusyError || error instanceof SessionAwaitingApprovalError;
      if (!isTurnedAway) this.#report(error, run);
    }
  }

  #report(error: unknown, run?: PendingRun): void {
    try {
      this.options.onError?.(error, run);
    } catch {
      // A listener that throws must not end the loop that it listens to.
    }
  }

  #pause(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.parts.timers.schedule(resolve, this.#intervalMs);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}

/**
 * Interrupted, not known to fail the same way again, and not to be left alone for a while. A run that waits for a person waits on, unless
 * its decision was given and the process that took it died before it could go on.
 */
function isRecoverable(
  run: PendingRun,
  { undecided, now }: { undecided: ReadonlySet<string> | undefined; now: number },
): boolean {
  const { lastError } = run;
  if (run.status === 'in-progress')
    return lastError?.retryable !== false && !isLater(lastError?.retryAt, now);
  return undecided !== undefined && run.approvalId !== undefined && !undecided.has(run.approvalId);
}

/** Text that is no instant is none. */
function isLater(instant: string | undefined, now: number): boolean {
  return instant !== undefined && Date.parse(instant) > now;
}
