import type { Checkpoint, PausedCall, RunUsage } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { apply } from '../../dist/run/apply.js';
import { spentBy, withLeadsDecisions } from '../../dist/run/delegation.js';
import { checkpointFromSnapshot, snapshotOf } from '../../dist/run/snapshot.js';
import { addDelegated, addUsage } from '../../dist/run/usage.js';
import { call, result, state, user } from './support.js';

const usage = (modelCalls: number, more: Partial<RunUsage> = {}): RunUsage => ({
  inputTokens: 10 * modelCalls,
  outputTokens: modelCalls,
  totalTokens: 11 * modelCalls,
  modelCalls,
  ...more,
});
const delegated = (runs: number, modelCalls: number) => ({ runs, ...usage(modelCalls) });

const TASK = { role: 'assistant', content: '', toolCalls: [call('t', 'task')] } as const;
const lead = state({ messages: [user('Go'), TASK], usage: usage(1) });
const at = (runId: string, modelCalls: number) =>
  ({ kind: 'delegated', taskId: 'task-1-0', runId, usage: usage(modelCalls) }) as const;

describe('what a sub-agent spends', () => {
  it('stands beside the totals until its task is over', () => {
    const working = apply(apply(lead, at('r1', 1)), at('r1', 2));
    expect(working.usage).toEqual(usage(1));
    expect(working.delegatedInFlight).toEqual({ 'task-1-0': { runId: 'r1', usage: usage(2) } });
    expect(spentBy(working)).toEqual(usage(3, { delegated: delegated(1, 2) }));
    const over = apply(working, { kind: 'call-settled', result: result('t'), task: { taskId: 'task-1-0' } });
    expect(over.usage).toEqual(usage(3, { delegated: delegated(1, 2) }));
    expect(over.delegatedInFlight).toBeUndefined();
  });

  it('J1 in an attempt that was cut off is counted as one more run', () => {
    const again = apply(apply(lead, at('r1', 2)), at('r2', 1));
    expect(again.usage).toEqual(usage(3, { delegated: delegated(1, 2) }));
    expect(again.delegatedInFlight).toEqual({ 'task-1-0': { runId: 'r2', usage: usage(1) } });
    const task = { taskId: 'task-1-0', spend: { runId: 'r2', usage: usage(3) } };
    const over = apply(again, { kind: 'call-settled', result: result('t'), task });
    expect(over.usage).toEqual(usage(6, { delegated: delegated(2, 5) }));
  });

  it('is counted once, also where the result repeats what was noted', () => {
    const task = { taskId: 'task-1-0', spend: { runId: 'r1', usage: usage(2) } };
    const over = apply(apply(lead, at('r1', 2)), { kind: 'call-settled', result: result('t'), task });
    expect(over.usage).toEqual(usage(3, { delegated: delegated(1, 2) }));
  });

  it('is counted when its call is cancelled; that of a task beside the calls stays open', () => {
    const beside = apply(apply(lead, at('r1', 2)), { ...at('r9', 4), taskId: 'task-0-0' });
    const aborted = apply(beside, { kind: 'aborted', mayHaveStarted: true });
    expect(aborted.usage).toEqual(usage(3, { delegated: delegated(1, 2) }));
    expect(aborted.delegatedInFlight).toEqual({ 'task-0-0': { runId: 'r9', usage: usage(4) } });
  });

  it('goes over model answers, and is no loss to them', () => {
    const total = addDelegated(usage(1), usage(2));
    expect(addUsage(total, { inputTokens: 10, outputTokens: 1 })).toEqual(
      usage(4, { delegated: delegated(1, 2) }),
    );
  });

  it('counts the runs of its own sub-agents too', () => {
    const inner = addDelegated(usage(1), usage(2));
    expect(addDelegated(usage(1), inner)).toEqual(usage(4, { delegated: delegated(2, 3) }));
  });
});

describe('a sub-agent that is kept with its lead', () => {
  const paused: PausedCall = { approvalId: 'a', toolCallId: 'pay', pinnedArgs: '{}' };
  const decision = { id: 'a', approved: true };
  const kept: Checkpoint = {
    sessionId: '',
    stepIndex: 1,
    messages: [user('Pay')],
    status: 'awaiting-approval',
    approvalId: 'a',
    approvalIds: ['a'],
    pausedCalls: [paused],
  };

  it('stands on the record from then on, until its task is over', () => {
    const noted = apply(lead, { ...at('r1', 1), kept });
    expect(noted.subagents).toEqual({ 'task-1-0': kept });
    expect(apply(noted, at('r1', 2)).subagents).toEqual({ 'task-1-0': kept });
    const over = apply(noted, { kind: 'call-settled', result: result('t'), task: { taskId: 'task-1-0' } });
    expect(over.subagents).toBeUndefined();
  });

  it.each<[string, readonly PausedCall[], readonly PausedCall[]]>([
    [
      'decided',
      [{ approvalId: 'a', toolCallId: 't', subagentPath: ['payer'], decision }],
      [{ ...paused, decision }],
    ],
    ['not decided', [{ approvalId: 'a', toolCallId: 't', subagentPath: ['payer'] }], []],
    ['not known to the lead', [], []],
  ])('a question of its that is %s', (_, leadsCalls, pausedCalls) => {
    const { approvalId: _id, approvalIds: _ids, ...rest } = kept;
    expect(withLeadsDecisions(kept, leadsCalls)).toEqual({ ...rest, pausedCalls, status: 'in-progress' });
  });

  it('one that has finished is as it was', () => {
    const finished = { ...kept, status: 'finished' as const };
    expect(withLeadsDecisions(finished, [])).toBe(finished);
  });

  it('comes back from a snapshot as it went in, beside the others', () => {
    const other = { ...kept, messages: [user('Tip')] };
    const frozen = state({
      ...lead,
      sessionId: undefined,
      pausedCalls: [{ approvalId: 'a', toolCallId: 't', subagentPath: ['payer'] }],
      subagents: { 'task-1-0': kept, 'task-1-1': other },
    });
    const { messages, ...run } = kept;
    const snapshot = snapshotOf(frozen, { name: 'lead' }, call('t', 'task'), {
      toolCallId: 't',
      toolName: 'task',
      args: {},
      taskId: 'task-1-0',
      agentName: 'payer',
      snapshot: { currentMessages: messages, run },
    });
    expect(snapshot.run?.subagents).toEqual({ 'task-1-1': other });
    const approval = {
      id: 'a',
      toolCallId: 'pay',
      toolName: 'pay',
      args: {},
      createdAt: '2026-01-01T00:00:00Z',
    };
    expect(checkpointFromSnapshot(approval, snapshot)).toMatchObject({
      messages: frozen.messages,
      pausedCalls: frozen.pausedCalls,
      subagents: { 'task-1-0': kept, 'task-1-1': other },
    });
  });
});
