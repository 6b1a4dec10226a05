import type { Clock } from '../contract/index.js';
import { isoTime, SDKError } from '../contract/index.js';
import type { Emit, RunEvent, RunEventBody } from './events.js';
import type { RunPorts } from './execute-options.js';
import type { ExecutionResult } from './execution-result.js';
import { type EnqueuedInput, LiveInput, type SteeredInput } from './live-input.js';
import type { RunInput } from './run-input.js';

/**
 * A run that is going on: its events, and its result. The run goes on whether or not anybody reads the events. `result` rejects
 * when the run does, and never as an unhandled rejection.
 */
export interface AgentRun extends AsyncIterable<RunEvent> {
  /** Names this execution; a run that it starts keeps the id. */
  readonly runId: string;
  readonly result: Promise<ExecutionResult>;
  /**
   * Says something to the run while it goes on: it joins behind the results of the current step, before the next model call; said during
   * the last reply, it leads to one more step. Kept at once, so that a crash does not lose it. A run that finishes, pauses or is aborted
   * before does not take it along: `applied` resolves with `false`. Throws `LOUSHO_CONFIG_*` for what is no input of a user.
   */
  enqueue(input: RunInput): EnqueuedInput;
  /**
   * The same, ahead of what has not begun: a model call of which nothing has been told is dropped (it counts as a step), calls that have
   * not started get a `not-run` result. What is running is waited for.
   */
  steer(input: RunInput): SteeredInput;
  /** Once only: a second loop rejects with `LOUSHO_RUN_ALREADY_ITERATED`. Leaving the loop early does not stop the run. */
  [Symbol.asyncIterator](): AsyncIterator<RunEvent>;
}

/** Starts `work` at once and gives it a place to emit to. */
export function startAgentRun(
  runId: string,
  { timers, ids }: Pick<RunPorts, 'timers' | 'ids'>,
  work: (emit: Emit, input: LiveInput) => Promise<ExecutionResult>,
): AgentRun {
  const events = new EventBuffer(runId, timers);
  const input = new LiveInput(ids);
  const result = work((event) => events.push(event), input).finally(() => {
    input.close();
    events.end();
  });
  result.catch(() => undefined);
  return {
    runId,
    result,
    enqueue: (said) => input.enqueue(said),
    steer: (said) => input.steer(said),
    [Symbol.asyncIterator]: () => events.iterate(),
  };
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
