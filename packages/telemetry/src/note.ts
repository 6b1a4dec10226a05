import type { Occurrence, ParentObservation } from '@lousho/core';
import type { Gauge } from '@opentelemetry/api';
import type { Instruments } from './instruments.js';
import { SpanObservation } from './span-observation.js';

/** What has no length: a count, or an event of the span in which it happened. */
export function note(
  { refusals, losses, pending }: Instruments,
  occurrence: Occurrence,
  parent: ParentObservation | undefined,
): void {
  switch (occurrence.kind) {
    case 'lease-refused':
      refusals.add(1, { 'lousho.call': occurrence.call });
      return;
    case 'lease-lost':
      losses.add(1);
      return;
    case 'handoff': {
      const { from, to, toolCallId } = occurrence;
      if (!(parent instanceof SpanObservation)) return;
      const about = {
        'gen_ai.tool.call.id': toolCallId,
        'lousho.handoff.from': from,
        'lousho.handoff.to': to,
      };
      parent.span.addEvent('lousho.handoff', about);
      return;
    }
    case 'pending':
      recordPending(pending, occurrence);
      return;
    default:
      occurrence satisfies never;
  }
}

function recordPending(pending: Gauge, { agentName, runs }: Extract<Occurrence, { kind: 'pending' }>): void {
  const agent = { 'gen_ai.agent.name': agentName };
  pending.record(runs.inProgress, { ...agent, 'lousho.run.status': 'in-progress' });
  pending.record(runs.awaitingApproval, { ...agent, 'lousho.run.status': 'awaiting-approval' });
}
