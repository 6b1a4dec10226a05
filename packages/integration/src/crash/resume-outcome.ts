import { type Agent, type ExecutionResult, SDKError, SessionBusyError } from '@lousho/core';
import { untilFree } from '../stores/until-free.js';

/** What a caller of resume() or send() got. */
export type CallOutcome =
  | { readonly kind: 'finished' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export function resumeOutcome(agent: Agent, sessionId: string): Promise<CallOutcome> {
  return callOutcome(agent.resume(sessionId));
}

/** The same, asked as a caller does who comes again while the session is busy. */
export function freedOutcome(agent: Agent, sessionId: string): Promise<CallOutcome> {
  return callOutcome(untilFree(() => agent.resume(sessionId)));
}

export async function callOutcome(call: Promise<ExecutionResult | null>): Promise<CallOutcome> {
  try {
    const result = await call;
    if (!result) return { kind: 'nothing' };
    if (result.finishReason === 'stop') return { kind: 'finished' };
    return { kind: 'failed', code: result.finishReason, message: 'the run ended otherwise' };
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): CallOutcome {
  if (error instanceof SessionBusyError && error.code === 'LOUSHO_SESSION_BUSY') {
    return { kind: 'busy' };
  }
  const code = error instanceof SDKError ? error.code : 'no code';
  return { kind: 'failed', code, message: error instanceof Error ? error.message : String(error) };
}

/** In a word, for a figure. */
export function outcomeWord(outcome: CallOutcome): string {
  if (outcome.kind === 'busy') return 'LOUSHO_SESSION_BUSY';
  return outcome.kind === 'failed' ? outcome.code : outcome.kind;
}
