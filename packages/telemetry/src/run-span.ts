import type { ObservedRun, RunOutcome, RunTrace } from '@lousho/core';
import { type Attributes, type Link, SpanKind } from '@opentelemetry/api';
import { providerName } from './provider-name.js';
import type { SpanStart } from './spans.js';
import { spanContextOf } from './traceparent.js';

/** `invoke_agent {name}`: what one process did of a run. */
export function runSpan(run: ObservedRun): SpanStart {
  const { agentName, agentId, conversationId, sessionId, runId, model, subagentPath } = run;
  return {
    name: `invoke_agent ${agentName}`,
    kind: SpanKind.INTERNAL,
    links: linksTo(run.interrupted),
    inherited: {
      'lousho.run.id': runId,
      ...(sessionId !== undefined && { 'lousho.session.id': sessionId }),
      ...(conversationId !== undefined && { 'gen_ai.conversation.id': conversationId }),
    },
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providerName(run.providerName),
      'gen_ai.agent.name': agentName,
      ...(agentId !== undefined && { 'gen_ai.agent.id': agentId }),
      ...(model !== undefined && { 'gen_ai.request.model': model }),
      'lousho.run.resumed': run.resumes !== undefined,
      ...(run.resumes && { 'lousho.run.resumes': run.resumes }),
      ...(run.interrupted?.forkedFrom && { 'lousho.fork.session.id': run.interrupted.forkedFrom }),
      ...(run.epoch !== undefined && { 'lousho.lease.epoch': run.epoch }),
      ...(subagentPath && { 'lousho.subagent.path': [...subagentPath] }),
    },
  };
}

/** Tokens are those that were spent under this span: a run that goes on has spent some before. */
export function runEnd(run: ObservedRun, { finishReason, usage }: RunOutcome): Attributes {
  return {
    ...(finishReason !== undefined && { 'gen_ai.response.finish_reasons': [finishReason] }),
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.inputTokens - run.usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens - run.usage.outputTokens,
    }),
  };
}

/** Whether the run was taken over from somebody who is gone. A sub-agent is taken over with its lead. */
export function isTakeOver({ resumes, subagentPath }: ObservedRun): boolean {
  return resumes === 'interrupted' && subagentPath === undefined;
}

function linksTo(interrupted: RunTrace | undefined): readonly Link[] {
  const span = interrupted && spanContextOf(interrupted.traceparent);
  if (!span) return [];
  return [
    { context: span, attributes: { 'lousho.link': interrupted.forkedFrom ? 'forked' : 'interrupted' } },
  ];
}
