import type { ObservedSave, ObservedStep } from '@lousho/core';
import { SpanKind } from '@opentelemetry/api';
import type { SpanStart } from './spans.js';

/** One model call and the tool calls it asked for. */
export function stepSpan({ step, agentName }: ObservedStep): SpanStart {
  return {
    name: 'lousho.step',
    kind: SpanKind.INTERNAL,
    attributes: { 'lousho.step': step, 'gen_ai.agent.name': agentName },
  };
}

/** One checkpoint on its way to the store. */
export function saveSpan({ sessionId, runId, revision, status }: ObservedSave): SpanStart {
  return {
    name: 'lousho.save',
    kind: SpanKind.INTERNAL,
    attributes: {
      'lousho.session.id': sessionId,
      'lousho.run.id': runId,
      'lousho.revision': revision,
      'lousho.run.status': status,
    },
  };
}
