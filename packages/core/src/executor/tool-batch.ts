import type { ToolCall } from '../contract/index.js';
import { dueCalls } from '../run/handoff.js';
import { notRunResult } from '../run/tool-result.js';
import { WHY_ABORTED } from '../run/withdraw.js';
import { handOver, isTransfer } from './hand-over.js';
import type { Question } from './pause-run.js';
import { type PreparedCall, prepareCall } from './prepare-call.js';
import { type RanCall, rawArgs, runCall } from './run-call.js';
import type { RunContext } from './run-context.js';
import { emitSettled, type SettledCall } from './settled-call.js';

/**
 * Runs the open calls of a turn, and resolves with those that need a person first. They are prepared and started one after another
 * in call order, at most `toolConcurrency` at a time; each result is durable before a waiting call takes its place. After an abort,
 * a steer, a lost lease or an error no further call starts, and those that run are waited for: their results are recorded, then the
 * first error rejects. A transfer to another agent is left open beside others.
 */
export async function callTools(
  context: RunContext,
  calls: readonly ToolCall[],
): Promise<readonly Question[]> {
  const batch = new ToolBatch(context, calls);
  context.input?.calling(batch);
  for (const call of dueCalls(calls, (one) => isTransfer(context, one))) {
    await batch.freePlace();
    if (batch.isStopped) break;
    await batch.start(call);
  }
  const questions = await batch.settled();
  return questions.toSorted((a, b) => calls.indexOf(a.call) - calls.indexOf(b.call));
}

class ToolBatch {
  readonly #running = new Set<Promise<void>>();
  readonly #questions: Question[] = [];
  readonly #begun = new Set<ToolCall>();
  #failure: { readonly error: unknown } | undefined;
  #isHeld = false;

  constructor(
    readonly context: RunContext,
    readonly calls: readonly ToolCall[],
  ) {}

  get isStopped(): boolean {
    return this.#isHeld || this.#failure !== undefined || this.context.stop.aborted;
  }

  /**
   * Keeps every call that has not begun from starting, and names those that need a result now. None beside a call that is about to ask
   * a person: the run pauses, and they take their turn after the decision.
   */
  hold(): readonly ToolCall[] {
    if (this.#isHeld) return [];
    this.#isHeld = true;
    return this.#questions.length > 0 ? [] : this.calls.filter((call) => !this.#begun.has(call));
  }

  async freePlace(): Promise<void> {
    while (this.#running.size >= this.context.toolConcurrency) await Promise.race(this.#running);
  }

  /** Resolves when the call has been started, not when it has settled. */
  async start(call: ToolCall): Promise<void> {
    await this.#guard(async () => {
      const prepared = await prepareCall(this.context, call);
      if (this.#isHeld) return;
      this.#begun.add(call);
      switch (prepared.kind) {
        case 'answered':
          if (prepared.isDecided) this.#emitResume(call);
          return this.#record({ ...prepared, durationMs: 0 });
        case 'gated':
          this.#questions.push(prepared.gated);
          return;
        case 'ready':
          return this.#startReady(call, prepared);
        default:
          return prepared satisfies never;
      }
    });
  }

  async settled(): Promise<readonly Question[]> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.error;
    return this.#questions;
  }

  async #startReady(call: ToolCall, ready: PreparedCall & { kind: 'ready' }): Promise<void> {
    const { context } = this;
    if (this.isStopped) return;
    if (isTransfer(context, call)) return handOver(context, call);
    if (ready.isOnce) await context.recorder.record({ kind: 'call-started', toolCallId: call.id });
    // Only this process knows that the marked call was not started after all.
    if (context.aborted?.aborted)
      return this.#record({ result: notRunResult(call, WHY_ABORTED), durationMs: 0 });
    // The last look before an effect: a run that was stopped for longer than its lease starts nothing more.
    await context.lease?.assertHeld();
    this.#track(runCall(context, call, ready));
  }

  /** A refused call settles without running; listeners hear of it as of every decided one. */
  #emitResume(call: ToolCall): void {
    const { name } = call.function;
    this.context.emit({ type: 'tool.resume', toolCallId: call.id, toolName: name, args: rawArgs(call) });
  }

  #track(running: Promise<RanCall>): void {
    const settled = this.#guard(async () => {
      const ran = await running;
      if ('questions' in ran) this.#questions.push(...ran.questions);
      else await this.#record(ran);
    }).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  async #record(settled: SettledCall): Promise<void> {
    const { context } = this;
    const { result, task } = settled;
    await context.recorder.record({ kind: 'call-settled', result, ...(task && { task }) });
    emitSettled(context, settled);
    if (task) await context.tasks?.forget(context, [task.taskId]);
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
