import { decide, type Next } from '../run/decide.js';
import type { FinishReason } from '../run/run-state.js';
import { askModel } from './ask-model.js';
import { emitSettled } from './call-tool.js';
import type { RunContext } from './run-context.js';
import { callTools } from './tool-batch.js';

/**
 * Decides, performs, records, until the run ends. What a step did is durable before the next effect starts. Resolves with the
 * reason; rejects when the run cannot go on (its record then stands where it was).
 */
export async function runLoop(context: RunContext): Promise<FinishReason> {
  const { recorder } = context;
  for (;;) {
    if (context.stop.aborted) return stopped(context);
    const next = decide(recorder.state);
    if (next.kind === 'finish') {
      await recorder.finish(next.reason);
      return next.reason;
    }
    await perform(context, next);
  }
}

async function perform(context: RunContext, next: Exclude<Next, { kind: 'finish' }>): Promise<void> {
  switch (next.kind) {
    case 'ask-model':
      return performModelCall(context);
    case 'call-tools':
      await callTools(context, next.calls);
      return emitStepDone(context);
    default:
      return next satisfies never;
  }
}

async function performModelCall(context: RunContext): Promise<void> {
  const { recorder } = context;
  context.emit({ type: 'step.start', step: recorder.state.stepIndex + 1 });
  const answer = await askModel(context);
  if (answer === null) return;
  await recorder.record(answer);
  for (const result of answer.refused) emitSettled(context, result, 0);
  if (decide(recorder.state).kind !== 'call-tools') emitStepDone(context);
}

/** The caller's abort is an outcome that is recorded; a lost lease is an error, and its record belongs to somebody else. */
async function stopped(context: RunContext): Promise<FinishReason> {
  await context.lease?.assertHeld();
  await context.recorder.record({ kind: 'aborted', mayHaveStarted: isTurnOfEarlierLife(context) });
  return 'aborted';
}

/** Whether the calls that are open now were so when the run was loaded; those of this life have all been waited for. */
function isTurnOfEarlierLife({ recorder }: RunContext): boolean {
  const stored = recorder.target?.stored;
  return stored?.status !== 'finished' && stored?.stepIndex === recorder.state.stepIndex;
}

function emitStepDone(context: RunContext): void {
  const { state } = context.recorder;
  if (context.stop.aborted) return;
  context.emit({
    type: 'step.done',
    step: state.stepIndex,
    finishReason: state.finishReason ?? 'stop',
    usage: state.usage,
  });
}
