import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf, SDKError } from '@lousho/core/contract';
import { Deadline, Overdue, within } from './deadline.js';
import { Readiness } from './readiness.js';
import { placeOf, type RedisClient } from './redis-client.js';
import { AWAY, codedError, failureOf, isUnknownScript, withoutCommand } from './redis-errors.js';
import type { Script } from './script.js';

/** `write`: it is unknown what happened when no answer comes. `idle`: nothing that a caller could notice, so it may be asked again. */
export type Effect = 'write' | 'idle';

export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  readonly effect: Effect;
  /** Shared by the calls of one operation; a deadline of its own when absent. */
  readonly deadline?: Deadline;
}

export interface LinkOptions {
  /** Of the store, for error texts. */
  readonly name: string;
  readonly client: RedisClient;
  readonly deadlineMs: number;
  /** Then a connection that went silent may be replaced, and a call is sent again when it broke. */
  readonly isOwn: boolean;
}

const PAUSE_MS = 50;
/** How often a server may say that it is no primary before its word counts. */
const MOST_MOVES = 10;

/**
 * The way to the server. What concerns stored data is always a script, also a read: a client may let replicas answer plain commands,
 * but sends scripts to the primary. A call is sent as often as it takes until its deadline: the scripts recognise a repetition. Then it is settled,
 * whatever the connection does: with `LOUSHO_STORE_OUTCOME_UNKNOWN` when a write may have reached the server, else with a retryable
 * error.
 */
export class RedisLink {
  readonly client: RedisClient;
  readonly #readiness: Readiness;
  readonly #options: LinkOptions;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #inFlight = new Set<(error: Error) => void>();
  readonly #onClose = () => this.#breakOff();

  constructor(options: LinkOptions) {
    this.client = options.client;
    this.#options = options;
    this.#readiness = new Readiness(options.client, options.isOwn);
    // A client that does not send again leaves the calls of a broken connection without an answer.
    if (options.isOwn) this.client.on('close', this.#onClose);
  }

  /** Names a call and the server, for error texts. */
  placeOf(operation: string): string {
    return `${this.#options.name}.${operation}() at ${placeOf(this.client)}`;
  }

  deadline(): Deadline {
    return new Deadline(this.#options.deadlineMs);
  }

  run(call: ScriptCall): Promise<unknown> {
    const { script, keys, args } = call;
    return this.#track(
      this.#settle(script.name, call.effect, call.deadline ?? this.deadline(), async () => {
        const rest = [keys.length, ...keys, ...args] as const;
        try {
          return await this.client.call('evalsha', script.sha, ...rest);
        } catch (error) {
          if (!isUnknownScript(error)) throw error;
          return await this.client.call('eval', script.source, ...rest);
        }
      }),
    );
  }

  /** Calls that change nothing, as one. */
  ask<T>(name: string, send: () => Promise<T>): Promise<T> {
    return this.#track(this.#settle(name, 'idle', this.deadline(), send));
  }

  /** Lets the work end behind the answer that its caller already has; `drain` waits for it. */
  behind(work: Promise<unknown>): void {
    // It only tidies up: what it leaves behind is found by whoever reads the index.
    void this.#track(work.catch(() => {}));
  }

  /** Resolves once nothing that was asked for is under way. */
  async drain(): Promise<void> {
    while (this.#pending.size > 0) {
      await Promise.allSettled(this.#pending);
      await new Promise(setImmediate);
    }
    this.client.off('close', this.#onClose);
  }

  async #settle<T>(
    operation: string,
    effect: Effect,
    deadline: Deadline,
    send: () => Promise<T>,
  ): Promise<T> {
    const place = this.placeOf(operation);
    let mayHaveHappened = false;
    for (let moves = 0; ; ) {
      try {
        await this.#readiness.wait(deadline);
      } catch (error) {
        throw this.#notConnected(place, error, deadline, mayHaveHappened);
      }
      try {
        return await this.#attempt(deadline, send);
      } catch (error) {
        if (error instanceof Overdue) {
          this.#replaceSilentConnection();
          throw effect === 'write' ? unknownOutcome(place, deadline) : noAnswer(place, deadline);
        }
        const failure = failureOf(error);
        if (failure === 'lost') mayHaveHappened = effect === 'write';
        if (failure === 'moved') moves += 1;
        const isSaid = failure === 'refused' || failure === 'answered' || moves === MOST_MOVES;
        const isFinal = isSaid || deadline.leftMs <= PAUSE_MS;
        if (isFinal) {
          if (mayHaveHappened && failure !== 'answered') throw unknownOutcome(place, deadline, error);
          throw codedError(error, place);
        }
      }
      await delay(PAUSE_MS);
    }
  }

  async #attempt<T>(deadline: Deadline, send: () => Promise<T>): Promise<T> {
    let breakOff: (error: Error) => void = () => {};
    const broken = new Promise<never>((_, reject) => {
      breakOff = reject;
    });
    this.#inFlight.add(breakOff);
    try {
      return await within(deadline, Promise.race([send(), broken]));
    } finally {
      this.#inFlight.delete(breakOff);
    }
  }

  #breakOff(): void {
    for (const breakOff of this.#inFlight)
      breakOff(new Error('The connection ended before the answer came.'));
  }

  #replaceSilentConnection(): void {
    if (this.#options.isOwn && this.#readiness.isReady) this.client.disconnect(true);
  }

  #notConnected(place: string, error: unknown, deadline: Deadline, mayHaveHappened: boolean): SDKError {
    if (mayHaveHappened) return unknownOutcome(place, deadline, error);
    if (!(error instanceof Overdue)) return codedError(error, place);
    const { lastError } = this.#readiness;
    const reason = lastError instanceof Error ? `: ${reasonOf(lastError)}` : '';
    return new SDKError(
      'LOUSHO_STORAGE_FAILED',
      `${place}: no connection within ${deadline.ms} ms${reason}; nothing was sent`,
      { ...AWAY, cause: withoutCommand(lastError) },
    );
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const forget = () => this.#pending.delete(work);
    work.then(forget, forget);
    return work;
  }
}

function unknownOutcome(place: string, deadline: Deadline, cause?: unknown): SDKError {
  const detail = `${place}: no answer within ${deadline.ms} ms; it may have happened`;
  return new SDKError('LOUSHO_STORE_OUTCOME_UNKNOWN', detail, { cause: withoutCommand(cause) });
}

function noAnswer(place: string, deadline: Deadline): SDKError {
  return new SDKError('LOUSHO_STORAGE_FAILED', `${place}: no answer within ${deadline.ms} ms`, AWAY);
}
