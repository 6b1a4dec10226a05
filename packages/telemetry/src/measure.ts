import type { ModelCallOutcome, ObservedModelCall, Outcome } from '@lousho/core';
import { modelAttributes } from './call-spans.js';
import { errorType } from './error-type.js';
import type { Instruments } from './instruments.js';
import type { Ended } from './spans.js';

/** The conventions' metrics of a model call. A call that was cut off has a duration and, as nobody told, no tokens. */
export function measureModelCall(
  instruments: Instruments,
  call: ObservedModelCall,
  { seconds, result, observation }: Ended<ModelCallOutcome>,
): void {
  const usage = result.response?.usage;
  const attributes = {
    ...modelAttributes(call),
    ...(usage?.model !== undefined && { 'gen_ai.response.model': usage.model }),
  };
  const { context } = observation;
  instruments.operationDuration.record(seconds, { ...attributes, ...errorAttributes(result) }, context);
  if (!usage) return;
  const { tokenUsage } = instruments;
  tokenUsage.record(usage.inputTokens, { ...attributes, 'gen_ai.token.type': 'input' }, context);
  tokenUsage.record(usage.outputTokens, { ...attributes, 'gen_ai.token.type': 'output' }, context);
}

export function measureSave(
  { saveDuration }: Instruments,
  { seconds, result, observation }: Ended<Outcome>,
): void {
  saveDuration.record(seconds, errorAttributes(result), observation.context);
}

function errorAttributes({ error }: Outcome) {
  return { ...(error !== undefined && { 'error.type': errorType(error) }) };
}
