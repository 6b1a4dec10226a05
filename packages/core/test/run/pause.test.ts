import type { Checkpoint, Message, PausedCall } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { apply } from '../../dist/run/apply.js';
import { resumedRun } from '../../dist/run/begin-run.js';
import { checkpointOf } from '../../dist/run/checkpoint-of.js';
import { decide } from '../../dist/run/decide.js';
import { type RunState, standingStatus, undecidedCalls } from '../../dist/run/run-state.js';
import { checkpointFromSnapshot, keepsRemainingCalls, snapshotOf } from '../../dist/run/snapshot.js';

const SETTINGS = { sessionId: 'order-7', runId: 'run-1', agentMaxSteps: 10, systemPrompt: undefined };
const approved = { approved: true };

/** A run whose last turn calls `ids`. */
function calling(...ids: readonly string[]): RunState {
  const messages: Message[] = [
    { role: 'user', content: 'Go' },
    {
      role: 'assistant',
      content: '',
      toolCalls: ids.map((id) => ({ id, type: 'function', function: { name: id, arguments: '{}' } })),
    },
  ];
  return resumedRun(SETTINGS, { sessionId: 'order-7', stepIndex: 1, messages, runId: 'run-1' });
}

function paused(id: string, decision?: { approved: boolean }): PausedCall {
  const approvalId = `approval-${id}`;
  return { approvalId, toolCallId: id, ...(decision && { decision: { id: approvalId, ...decision } }) };
}

const result = (id: string): Message => ({ role: 'tool', toolCallId: id, toolName: id, content: '"ok"' });

describe('a run that waits for people', () => {
  it('stands while one call is undecided, and goes on with the last decision', () => {
    const both = apply(calling('a', 'b'), { kind: 'paused', pausedCalls: [paused('a'), paused('b')] });
    expect([decide(both).kind, standingStatus(both)]).toEqual(['pause', 'awaiting-approval']);
    const one = apply(both, { kind: 'paused', pausedCalls: [paused('a', approved), paused('b')] });
    expect([decide(one).kind, undecidedCalls(one).length]).toEqual(['pause', 1]);
    const none = apply(one, {
      kind: 'paused',
      pausedCalls: [paused('a', approved), paused('b', { approved: false })],
    });
    expect([decide(none).kind, standingStatus(none)]).toEqual(['call-tools', 'in-progress']);
  });

  it('names the undecided approvals in call order, the first one by itself', () => {
    const state = apply(calling('a', 'b', 'c'), {
      kind: 'paused',
      pausedCalls: [paused('a', approved), paused('b'), paused('c')],
    });
    expect(checkpointOf(state, { revision: 2, status: 'awaiting-approval' })).toMatchObject({
      approvalId: 'approval-b',
      approvalIds: ['approval-b', 'approval-c'],
      pausedCalls: [{ toolCallId: 'a' }, { toolCallId: 'b' }, { toolCallId: 'c' }],
    });
  });

  it('that fails has asked nobody, but keeps what was decided', () => {
    const state = apply(calling('a', 'b'), {
      kind: 'paused',
      pausedCalls: [paused('a', approved), paused('b')],
    });
    const lastError = { message: 'down', retryable: true, at: '2026-01-01T00:00:00.000Z' };
    const failed = apply(state, { kind: 'failed', lastError });
    expect(failed.pausedCalls).toEqual([paused('a', approved)]);
    expect(standingStatus(failed)).toBe('in-progress');
  });

  it('that is aborted has a result for every call and waits for nobody', () => {
    const state = apply(calling('a'), { kind: 'paused', pausedCalls: [paused('a', approved)] });
    const aborted = apply(state, { kind: 'aborted' });
    expect(aborted.pausedCalls).toEqual([]);
    expect(aborted.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'a', isError: true });
  });

  it('forgets pauses and start marks with the next model turn only', () => {
    const started = apply(calling('a'), { kind: 'call-started', toolCallId: 'a' });
    const settled = apply(
      { ...started, pausedCalls: [paused('a', approved)] },
      { kind: 'call-settled', result: result('a') },
    );
    expect([settled.startedToolCallIds, settled.pausedCalls.length]).toEqual([['a'], 1]);
    const answered = apply(settled, {
      kind: 'model-answered',
      message: { role: 'assistant', content: 'done' },
      finishReason: 'stop',
      refused: [],
    });
    expect([answered.startedToolCallIds, answered.pausedCalls]).toEqual([[], []]);
  });
});

describe('a snapshot', () => {
  const state = apply(calling('a', 'b', 'c'), { kind: 'call-settled', result: result('a') });
  const waiting = apply(state, { kind: 'paused', pausedCalls: [paused('b'), paused('c')] });
  const [call] = (waiting.messages[1]?.toolCalls ?? []).slice(1);
  if (!call) throw new Error('no call');
  const snapshot = snapshotOf(waiting, { name: 'agent' }, call);

  it('holds the paused call, the other open ones and the conversation', () => {
    expect(snapshot).toMatchObject({ sessionId: 'order-7', runId: 'run-1', pendingToolCall: { id: 'b' } });
    expect(snapshot.remainingToolCalls?.map(({ id }) => id)).toEqual(['c']);
    expect(snapshot.currentMessages).toEqual(waiting.messages);
    expect(keepsRemainingCalls(snapshot)).toBe(true);
  });

  it('gives the run back as it stood', () => {
    const approval = {
      id: 'approval-b',
      toolCallId: 'b',
      toolName: 'b',
      args: {},
      createdAt: '2026-01-01T00:00:00.000Z',
    };
    expect(resumedRun(SETTINGS, checkpointFromSnapshot(approval, snapshot))).toEqual(waiting);
  });

  it('of before `run` existed gives steps, usage and its one call', () => {
    const approval = {
      id: 'old',
      toolCallId: 'b',
      toolName: 'b',
      args: {},
      createdAt: '2026-01-01T00:00:00.000Z',
    };
    const older = {
      currentMessages: waiting.messages,
      steps: 3,
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, modelCalls: 1 },
    };
    const checkpoint: Checkpoint = checkpointFromSnapshot(approval, older);
    expect(checkpoint).toMatchObject({
      stepIndex: 3,
      usage: older.usage,
      status: 'awaiting-approval',
      pausedCalls: [{ approvalId: 'old', toolCallId: 'b' }],
    });
    expect(keepsRemainingCalls(older)).toBe(false);
  });
});
