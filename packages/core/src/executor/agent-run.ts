import type { Clock } from '../contract/index.js';
import { isoTime, SDKError } from '../contract/index.js';
import type { Emit, RunEvent, RunEventBody } from './events.js';
import type { ExecutionResult } from './execution-result.js';

/**
 * A run that is going on: its events, and its result. The run goes on whether or not anybody reads the events. `result` rejects
 * when the run does, and never as an unhandled rejection.
 */
export interface AgentRun extends AsyncIterable<RunEvent> {
  /** Names this execution; a run that it starts keeps the id. */
  readonly runId: string;
  readonly result: Promise<ExecutionResult>;
  /** Once only: a second loop rejects with `LOUSHO_RUN_ALREADY_ITERATED`. Leaving the loop early does not stop the run. */
  [Symbol.asyncIterator](): AsyncIterator<RunEvent>;
}

/** Starts `work` at once and gives it a place to emit to. */
export function startAgentRun(
  runId: string,
  clock: Clock,
  work: (emit: Emit) => Promise<ExecutionResult>,
): AgentRun {
  const events = new EventBuffer(runId, clock);
  const result = work((event) => events.push(event)).finally(() => events.end());
  result.catch(() => undefined);
  return { runId, result, [Symbol.asyncIterator]: () => events.iterate() };
}

/** Events between the run and its one reader. Once the reader has left, they are dropped. */
class EventBuffer {
  readonly #waiting: RunEvent[] = [];
  #seq = 0;
  #isEnded = false;
  #hasReader = false;
  #readerLeft = false;
  /** Readers that wait for the next event. */
  readonly #wakes: (() => void)[] = [];

  constructor(
    readonly runId: string,
    readonly clock: Clock,
  ) {}

  push(body: RunEventBody): void {
    const event = {
      ...body,
      runId: this.runId,
      seq: this.#seq++,
      timestamp: isoTime(this.clock.now()),
      v: 1 as const,
    };
    if (this.#readerLeft) return;
    this.#waiting.push(event);
    this.#wakes.shift()?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wakeAll();
  }

  iterate(): AsyncIterator<RunEvent> {
    if (this.#hasReader) {
      throw new SDKError('LOUSHO_RUN_ALREADY_ITERATED', `run ${this.runId} was iterated before`);
    }
    this.#hasReader = true;
    return { next: () => this.#next(), return: async () => this.#leave() };
  }

  async #next(): Promise<IteratorResult<RunEvent>> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) return { done: false, value: event };
      if (this.#isEnded || this.#readerLeft) return { done: true, value: undefined };
      await new Promise<void>((resolve) => this.#wakes.push(resolve));
    }
  }

  #leave(): IteratorResult<RunEvent> {
    this.#readerLeft = true;
    this.#waiting.length = 0;
    this.#wakeAll();
    return { done: true, value: undefined };
  }

  #wakeAll(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }
}
