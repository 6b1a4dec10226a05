import { type Checkpoint, ConfigurationError, encode, type Message } from '../contract/index.js';
import { handoffsIn } from './handoff.js';
import { toolResult } from './tool-result.js';
import { joinTranscript, splitTranscript } from './transcript.js';

/** What is different in a fork, applied in this order. */
export interface ForkPatch {
  /** Rewrites the transcript; it is given a copy. */
  readonly messages?: (messages: readonly Message[]) => readonly Message[];
  /** Replaces it; `null` clears it, leaving it out keeps the source's. */
  readonly businessState?: unknown;
  /** Replaces the result of a call in place, or records it for a call that has none yet. */
  readonly toolResult?: { readonly toolCallId: string; readonly result: unknown };
  /** A user message that is sent behind the results of calls that are still pending. */
  readonly appendInput?: string;
}

/**
 * The first record of a fork: the source's state under a new id, in progress, with the patch. Nothing of it is shared with the source:
 * calls that waited for a person ask again. A call that may run at most once and was started is interrupted in the fork as well.
 */
export function forkedCheckpoint(
  source: Checkpoint,
  target: { readonly sessionId: string; readonly runId: string },
  patch: ForkPatch,
): Checkpoint {
  const {
    approvalId: _id,
    approvalIds: _ids,
    approvalKind: _kind,
    pausedCalls: _paused,
    lastError: _error,
    attempts: _attempts,
    finishReason: _reason,
    agentFingerprint,
    delegatedInFlight: _spend,
    delegatedBy: _origin,
    ...rest
  } = source;
  const kept = source.subagents && Object.entries(source.subagents).map(([id, one]) => [id, asksAgain(one)]);
  const rewritten = patch.messages ? patch.messages(structuredClone(source.messages)) : source.messages;
  const answered = withToolResult({ ...rest, messages: rewritten }, patch.toolResult);
  const appended: Message[] =
    patch.appendInput === undefined ? [] : [{ role: 'user', content: patch.appendInput }];
  return {
    ...answered,
    ...target,
    revision: 1,
    ...(kept && { subagents: Object.fromEntries(kept) }),
    ...(source.trace && { trace: { ...source.trace, forkedFrom: source.sessionId } }),
    status: 'in-progress',
    messages: [...answered.messages, ...appended],
    ...(agentFingerprint && isWithSameAgent(source.messages, rewritten) && { agentFingerprint }),
    ...(patch.businessState !== undefined && { businessState: patch.businessState }),
  };
}

/** A rewritten transcript may be with another agent than the one that the fingerprint is of. */
function isWithSameAgent(before: readonly Message[], after: readonly Message[]): boolean {
  return encode(handoffsIn(before)) === encode(handoffsIn(after));
}

/** A sub-agent goes on in the fork as its lead does; what the source's people decide is not about it. */
function asksAgain({ pausedCalls: _, subagents, ...stored }: Checkpoint): Checkpoint {
  const inner = subagents && Object.entries(subagents).map(([id, one]) => [id, asksAgain(one)]);
  return { ...stored, ...(inner && { subagents: Object.fromEntries(inner) }), status: 'in-progress' };
}

function withToolResult(checkpoint: Checkpoint, patched: ForkPatch['toolResult']): Checkpoint {
  if (!patched) return checkpoint;
  return (
    replaceResult(checkpoint, patched) ?? recordResult(checkpoint, patched) ?? unknownCall(patched.toolCallId)
  );
}

/** The newest result with the id: providers use ids again in later turns. */
function replaceResult(
  checkpoint: Checkpoint,
  { toolCallId, result }: NonNullable<ForkPatch['toolResult']>,
): Checkpoint | undefined {
  if (openCall(checkpoint, toolCallId)) return undefined;
  const settledResults = withResult(checkpoint.settledResults ?? [], toolCallId, result);
  if (settledResults) return { ...checkpoint, settledResults };
  const messages = withResult(checkpoint.messages, toolCallId, result);
  return messages && { ...checkpoint, messages };
}

function withResult(
  messages: readonly Message[],
  toolCallId: string,
  result: unknown,
): readonly Message[] | undefined {
  const index = messages.findLastIndex(
    (message) => message.role === 'tool' && message.toolCallId === toolCallId,
  );
  const replaced = messages[index];
  if (!replaced) return undefined;
  const call = {
    id: toolCallId,
    type: 'function',
    function: { name: replaced.toolName ?? '', arguments: '' },
  } as const;
  // A transfer stays one, whatever its result says.
  const { metadata } = replaced;
  return messages.with(index, { ...toolResult(call, result), ...(metadata && { metadata }) });
}

function recordResult(
  checkpoint: Checkpoint,
  { toolCallId, result }: NonNullable<ForkPatch['toolResult']>,
): Checkpoint | undefined {
  const call = openCall(checkpoint, toolCallId);
  if (!call) return undefined;
  const transcript = splitTranscript(checkpoint.messages, checkpoint.settledResults);
  const calls = transcript.calls.map((entry) =>
    entry.call === call ? { call, result: toolResult(call, result) } : entry,
  );
  return { ...checkpoint, ...joinTranscript({ ...transcript, calls }) };
}

function openCall({ messages, settledResults }: Checkpoint, toolCallId: string) {
  const { calls } = splitTranscript(messages, settledResults);
  return calls.find(({ call, result }) => call.id === toolCallId && !result)?.call;
}

function unknownCall(toolCallId: string): never {
  throw new ConfigurationError(
    `Expected \`patch.toolResult.toolCallId\` to be a call of the transcript, got ${toolCallId}`,
    {
      field: 'patch.toolResult',
    },
  );
}
