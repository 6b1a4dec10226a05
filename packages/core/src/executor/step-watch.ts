import type { Outcome } from '../ports/index.js';
import type { Next } from '../run/decide.js';
import type { RunContext } from './run-context.js';
import type { Watched } from './watch.js';

/**
 * Watches the steps of a run: each begins with its model call, or with the calls that an earlier process left open, and ends when
 * something else than its calls is next.
 */
export class StepWatch {
  #current: { readonly watched: Watched<Outcome>; readonly context: RunContext } | undefined;

  constructor(readonly context: RunContext) {}

  /** Told of each decision before it is carried out. */
  next(next: Next): void {
    const { watch, recorder, cast } = this.context;
    if (!watch || (next.kind === 'call-tools' && this.#current)) return;
    this.end({});
    if (next.kind !== 'ask-model' && next.kind !== 'call-tools') return;
    const { runId, stepIndex } = recorder.state;
    const step = next.kind === 'ask-model' ? stepIndex + 1 : stepIndex;
    const about = { runId, step, agentName: cast.current.name };
    const watched = watch.begin((observer, parent) => observer.step?.(about, parent));
    recorder.watch = watched.watch;
    this.#current = { watched, context: { ...this.context, watch: watched.watch } };
  }

  /** Carries out what is next, as a part of the step if there is one. */
  within<T>(work: (context: RunContext) => T): T {
    const current = this.#current;
    return current ? current.watched.within(() => work(current.context)) : work(this.context);
  }

  end(outcome: Outcome): void {
    this.#current?.watched.end(outcome);
    this.#current = undefined;
    this.context.recorder.watch = this.context.watch;
  }
}
