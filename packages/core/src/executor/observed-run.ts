import type { ObservedRun, ResumeReason } from '../ports/index.js';
import { spentBy } from '../run/delegation.js';
import type { RunState } from '../run/run-state.js';
import { sessionOfTurn } from '../run/turn-key.js';
import type { Beginning } from './beginning.js';
import type { Cast } from './cast.js';
import type { Execution } from './execution.js';

/** What an observer is told of a run that is about to begin or to go on. */
export function observedRun(
  execution: Execution,
  { current }: Cast,
  state: RunState,
  beginning: Beginning,
): ObservedRun {
  const { delegation } = execution;
  const { isResumed = false, target } = beginning;
  const epoch = target?.lease.epoch;
  const { sessionId, runId, trace } = state;
  const { name, id, provider } = current;
  const model = current.model ?? provider.defaultModel;
  const conversationId = sessionId === undefined ? undefined : (sessionOfTurn(sessionId) ?? sessionId);
  return {
    runId,
    agentName: name,
    providerName: provider.name,
    usage: spentBy(state),
    ...(sessionId !== undefined && { sessionId }),
    ...(conversationId !== undefined && !delegation && { conversationId }),
    ...(id !== undefined && { agentId: id }),
    ...(model !== undefined && { model }),
    ...(delegation && { subagentPath: delegation.path }),
    ...(isResumed && {
      resumes: resumeReason(state, { ...beginning, isSubagent: delegation !== undefined }),
    }),
    ...(isResumed && trace && { interrupted: trace }),
    ...(epoch !== undefined && { epoch }),
  };
}

/** A sub-agent goes on with its lead: what was answered is seen in its calls alone. */
function resumeReason(
  { pausedCalls, failure, trace }: RunState,
  { isDecided, isSubagent }: Pick<Beginning, 'isDecided'> & { readonly isSubagent: boolean },
): ResumeReason {
  if (isDecided || (isSubagent && pausedCalls.some((call) => call.decision))) return 'decided';
  if (failure) return 'failed';
  return trace?.forkedFrom === undefined ? 'interrupted' : 'forked';
}
