import { follow } from '../linked-signal.js';
import { untilAborted } from '../until-aborted.js';
import type { BackgroundTask } from './delegates.js';
import type { SubagentRun } from './run-subagent.js';

type Attempt = { readonly run: SubagentRun } | { readonly error: unknown };

interface Entry {
  readonly about: Pick<BackgroundTask, 'taskId' | 'agentName' | 'description'>;
  readonly controller: AbortController;
  readonly outcome: Promise<Attempt>;
  ended?: Attempt;
}

/** The tasks that run beside a lead, in this process. */
export class BackgroundTasks {
  readonly #entries = new Map<string, Entry>();

  start(about: Entry['about'], stop: AbortSignal, work: (signal: AbortSignal) => Promise<Attempt>): void {
    const controller = new AbortController();
    const letGo = follow(controller, [stop]);
    const outcome = work(controller.signal).finally(letGo);
    const entry: Entry = { about, controller, outcome };
    // Whoever waits for it hears of a rejection; where nobody does, it is nobody's concern.
    outcome.then(
      (ended) => {
        entry.ended = ended;
      },
      (error: unknown) => {
        entry.ended = { error };
      },
    );
    this.#entries.set(about.taskId, entry);
  }

  outcomeOf(taskId: string): Promise<Attempt> | undefined {
    return this.#entries.get(taskId)?.outcome;
  }

  /** It is somebody else's from now on. */
  leave(taskId: string): void {
    this.#entries.delete(taskId);
  }

  /** Aborts the task and waits for its end. */
  async cancel(taskId: string): Promise<void> {
    const entry = this.#entries.get(taskId);
    entry?.controller.abort(new DOMException('the task was cancelled', 'AbortError'));
    await entry?.outcome.catch(() => undefined);
  }

  async cancelAll(): Promise<void> {
    await Promise.all(this.taskIds().map((taskId) => this.cancel(taskId)));
  }

  /** Resolves when none runs any more, or the signal fires. */
  async settled(stop: AbortSignal): Promise<void> {
    const all = Promise.allSettled([...this.#entries.values()].map(({ outcome }) => outcome));
    await untilAborted(stop, all);
  }

  /** Rejects with what a task rejected with. */
  async assertNoneRejected(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ outcome }) => outcome));
  }

  taskIds(): readonly string[] {
    return [...this.#entries.keys()];
  }

  list(): readonly BackgroundTask[] {
    return [...this.#entries.values()].map(({ about, ended }) => ({ ...about, ...standing(ended) }));
  }
}

function standing(ended: Attempt | undefined): Pick<BackgroundTask, 'status' | 'text'> {
  if (!ended) return { status: 'running' };
  if ('error' in ended) {
    const { error } = ended;
    return { status: 'failed', text: error instanceof Error ? error.message : String(error) };
  }
  const { result, questions } = ended.run;
  if (questions.length > 0) return { status: 'awaiting-approval' };
  if (result.finishReason === 'aborted') return { status: 'cancelled' };
  return { status: 'finished', text: result.text };
}
