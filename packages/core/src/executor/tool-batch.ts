import type { ToolCall } from '../contract/index.js';
import { emitSettled, prepareCall, runCall } from './call-tool.js';
import type { RunContext } from './run-context.js';

/**
 * Runs the open calls of a turn. They are prepared and started one after another in call order, at most `toolConcurrency` at a time;
 * each result is durable before a waiting call takes its place. After an abort, a lost lease or an error no further call starts, and
 * those that run are waited for: their results are recorded, then the first error rejects.
 */
export async function callTools(context: RunContext, calls: readonly ToolCall[]): Promise<void> {
  const batch = new ToolBatch(context);
  for (const call of calls) {
    await batch.freePlace();
    if (batch.isStopped) break;
    await batch.start(call);
  }
  await batch.settled();
}

class ToolBatch {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(readonly context: RunContext) {}

  get isStopped(): boolean {
    return this.#failure !== undefined || this.context.stop.aborted;
  }

  async freePlace(): Promise<void> {
    while (this.#running.size >= this.context.toolConcurrency) await Promise.race(this.#running);
  }

  /** Resolves when the call has been started, not when it has settled. */
  async start(call: ToolCall): Promise<void> {
    const { context } = this;
    await this.#guard(async () => {
      const prepared = await prepareCall(context, call);
      if (prepared.kind === 'answered') {
        emitSettled(context, prepared.result, 0, prepared.isFromHook);
        await context.recorder.record({ kind: 'call-settled', result: prepared.result });
        return;
      }
      // The last look before an effect: a run that was stopped for longer than its lease starts nothing more.
      await context.lease?.assertHeld();
      if (!this.isStopped) this.#track(runCall(context, call, prepared.args));
    });
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.error;
  }

  #track(result: ReturnType<typeof runCall>): void {
    const settled = this.#guard(async () => {
      await this.context.recorder.record({ kind: 'call-settled', result: await result });
    }).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
