import type {
  Logger,
  Observation,
  Observer,
  Occurrence,
  Outcome,
  ParentObservation,
} from '../ports/index.js';

type Begin<Result> = (
  observer: Observer,
  parent: ParentObservation | undefined,
) => Observation<Result> | undefined;

/** Observers that have failed: what they say after the first time is only noise. */
const failed = new WeakSet<Observer>();

/** An observer, and where in the tree of its observations the executor stands. What the observer throws ends here. */
export class Watch {
  /** `undefined` without an observer: then nothing is watched, and nothing is spent on it. */
  static of(observer: Observer | undefined, logger: Logger): Watch | undefined {
    return observer && new Watch(observer, logger, undefined);
  }

  private constructor(
    readonly observer: Observer,
    readonly logger: Logger,
    readonly parent: ParentObservation | undefined,
  ) {}

  begin<Result>(begin: Begin<Result>): Watched<Result> {
    const { observer, logger, parent } = this;
    const observation = this.#quietly(() => begin(observer, parent));
    const inside = observation ? new Watch(observer, logger, observation) : this;
    return {
      watch: inside,
      traceparent: this.#quietly(() => observation?.traceparent),
      within: (work) => (observation ? this.#within(observation, work) : work()),
      end: (result) => this.#quietly(() => observation?.end(result)),
    };
  }

  note(occurrence: Occurrence): void {
    this.#quietly(() => this.observer.note?.(occurrence, this.parent));
  }

  /** Whatever the observer does: `work` is called once, and its outcome is what comes back. */
  #within<T>(observation: ParentObservation, work: () => T): T {
    let outcome: { readonly value: T } | { readonly thrown: unknown } | undefined;
    const once = (): T => {
      outcome ??= settledOf(work);
      return outcomeOf(outcome);
    };
    try {
      observation.within(once);
    } catch (error) {
      // Work that throws throws through the observer as well.
      const isOfWork = outcome !== undefined && 'thrown' in outcome && outcome.thrown === error;
      if (!isOfWork) this.#report(error);
    }
    return once();
  }

  #quietly<T>(look: () => T): T | undefined {
    try {
      return look();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  #report(error: unknown): void {
    if (failed.has(this.observer)) return;
    failed.add(this.observer);
    this.logger.warn('lousho: the observer failed; runs go on without what it would have seen', error);
  }
}

/** Something that is watched while it goes on. */
export interface Watched<Result> {
  /** For what belongs to it. */
  readonly watch: Watch;
  readonly traceparent: string | undefined;
  within<T>(work: () => T): T;
  end(result: Result): void;
}

/** Watches `work` from its beginning to its end. Without a watch it is only called. */
export function watched<T, Result extends Outcome>(
  watch: Watch | undefined,
  begin: Begin<Result>,
  work: (watch: Watch | undefined) => Promise<T>,
  resultOf: (value: T) => Result,
): Promise<T> {
  return watch ? watchedTo(watch.begin(begin), work, resultOf) : work(undefined);
}

async function watchedTo<T, Result extends Outcome>(
  one: Watched<Result>,
  work: (watch: Watch) => Promise<T>,
  resultOf: (value: T) => Result,
): Promise<T> {
  try {
    const value = await one.within(() => work(one.watch));
    one.end(resultOf(value));
    return value;
  } catch (error) {
    one.end({ error } as Result);
    throw error;
  }
}

type Settled<T> = { readonly value: T } | { readonly thrown: unknown };

function settledOf<T>(work: () => T): Settled<T> {
  try {
    return { value: work() };
  } catch (thrown) {
    return { thrown };
  }
}

function outcomeOf<T>(settled: Settled<T>): T {
  if ('thrown' in settled) throw settled.thrown;
  return settled.value;
}
