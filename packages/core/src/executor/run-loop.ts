import type { ToolCall } from '../contract/index.js';
import { decide, type Next } from '../run/decide.js';
import type { FinishReason } from '../run/run-state.js';
import { openTasks } from '../run/task-key.js';
import { refusedBySteer } from '../run/withdraw.js';
import { askModel, STEERED } from './ask-model.js';
import { pauseRun } from './pause-run.js';
import type { RunContext } from './run-context.js';
import { emitSettled } from './settled-call.js';
import { StepWatch } from './step-watch.js';
import { callTools } from './tool-batch.js';

type Effect = Extract<Next, { kind: 'ask-model' | 'call-tools' | 'join-input' }>;

/**
 * Decides, performs, records, until the run ends. What a step did is durable before the next effect starts. Resolves with the
 * reason; rejects when the run cannot go on (its record then stands where it was).
 */
export async function runLoop(context: RunContext): Promise<FinishReason> {
  const steps = new StepWatch(context);
  try {
    const reason = await goOn(context, steps);
    steps.end({});
    return reason;
  } catch (error) {
    steps.end({ error });
    throw error;
  }
}

async function goOn(context: RunContext, steps: StepWatch): Promise<FinishReason> {
  const { recorder } = context;
  for (;;) {
    const next = decide(recorder.state);
    steps.next(next);
    // Before the abort: people have been asked, and what they are shown must be there to decide.
    if (next.kind === 'pause') return 'awaiting-approval';
    if (context.stop.aborted) return stopped(context);
    if (next.kind === 'finish') {
      if (await endTasks(context)) continue;
      context.input?.close();
      await recorder.finish(next.reason);
      return next.reason;
    }
    await steps.within((inStep) => perform(inStep, next));
  }
}

/** Ends what runs beside the run. Whether it is still about to finish has to be asked again then: somebody may have said something. */
async function endTasks(context: RunContext): Promise<boolean> {
  if (!context.tasks) return false;
  await context.tasks.finish(context);
  return decide(context.recorder.state).kind !== 'finish';
}

async function perform(context: RunContext, next: Effect): Promise<void> {
  switch (next.kind) {
    case 'ask-model':
      return performModelCall(context);
    case 'call-tools':
      return performToolCalls(context, next.calls);
    case 'join-input':
      return joinInput(context);
    default:
      return next satisfies never;
  }
}

async function performModelCall(context: RunContext): Promise<void> {
  const { recorder } = context;
  context.emit({ type: 'step.start', step: recorder.state.stepIndex + 1 });
  const answer = await askModel(context);
  if (answer === null) return;
  if (answer === STEERED) return emitStepDone(context, 'steered');
  const refused = refusedBySteer(recorder.state, answer.message, answer.refused);
  await recorder.record({ ...answer, refused });
  for (const result of refused) emitSettled(context, { result, durationMs: 0 });
  if (decide(recorder.state).kind !== 'call-tools') emitStepDone(context);
}

async function joinInput({ recorder, input }: RunContext): Promise<void> {
  const joined = recorder.state.queuedInputs;
  await recorder.record({ kind: 'input-joined' });
  input?.joined(joined, recorder.state.stepIndex + 1);
}

async function performToolCalls(context: RunContext, calls: readonly ToolCall[]): Promise<void> {
  const gated = await callTools(context, calls);
  // An abort outweighs the question: the calls get cancelled results, and nobody is asked.
  if (context.stop.aborted) return;
  if (gated.length > 0) await pauseRun(context, gated);
  else if (decide(context.recorder.state).kind !== 'call-tools') emitStepDone(context);
}

/** The caller's abort is an outcome that is recorded; a lost lease is an error, and its record belongs to somebody else. */
async function stopped(context: RunContext): Promise<FinishReason> {
  await context.lease?.assertHeld();
  // A sub-agent that is stopped stands where it stood: what becomes of it is its lead's to say.
  if (context.delegation) return 'aborted';
  context.input?.close();
  const cancelled = openTasks(context.recorder.state);
  await context.recorder.record({ kind: 'aborted', mayHaveStarted: context.recorder.isTurnOfEarlierLife });
  await context.tasks?.forget(context, cancelled);
  if (context.turn?.endsWithAbort) await context.recorder.finish('aborted');
  return 'aborted';
}

function emitStepDone(context: RunContext, reason?: 'steered'): void {
  const { state } = context.recorder;
  if (context.stop.aborted) return;
  context.emit({
    type: 'step.done',
    step: state.stepIndex,
    finishReason: reason ?? state.finishReason ?? 'stop',
    usage: state.usage,
  });
}
