import type { Checkpoint, Message } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { forkedCheckpoint } from '../../dist/run/fork.js';
import { asking, result, saying, user } from './support.js';

const TARGET = { sessionId: 'run.fork-1', runId: 'r2' };

function source(fields: Partial<Checkpoint> = {}): Checkpoint {
  return frozen({
    sessionId: 'run',
    runId: 'r1',
    revision: 7,
    stepIndex: 2,
    messages: [user('Go'), asking('a'), result('a'), saying('done')],
    ...fields,
  });
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const entry of Object.values(value)) frozen(entry);
  return Object.freeze(value);
}

const ids = (messages: readonly Message[] = []) => messages.map(({ role, toolCallId }) => toolCallId ?? role);

describe('the first record of a fork', () => {
  it('C14 takes its sub-agents along as they stand: what the source’s people decided is not about them', () => {
    const decided = { approvalId: 'a', toolCallId: 'pay', decision: { id: 'a', approved: true } };
    const inner = {
      ...source(),
      sessionId: '',
      status: 'awaiting-approval' as const,
      pausedCalls: [decided],
    };
    const outer = { ...inner, startedToolCallIds: ['x'], subagents: { 'task-1-0': inner } };
    const spend = { runId: 'r9', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, modelCalls: 1 } };
    const fork = forkedCheckpoint(
      source({ subagents: { 'task-1-0': outer }, delegatedInFlight: { 'task-1-0': spend } }),
      TARGET,
      {},
    );
    const { pausedCalls: _, ...rest } = inner;
    const asking = { ...rest, status: 'in-progress' };
    expect(fork.subagents).toEqual({
      'task-1-0': { ...asking, startedToolCallIds: ['x'], subagents: { 'task-1-0': asking } },
    });
    expect(fork.delegatedInFlight).toBeUndefined();
  });

  it('is the source under a new id, in progress, as a first revision of a run of its own', () => {
    const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5, modelCalls: 2 };
    const full = source({
      usage,
      status: 'finished',
      finishReason: 'stop',
      businessState: { a: 1 },
      maxSteps: 4,
    });
    expect(forkedCheckpoint(full, TARGET, {})).toEqual({
      sessionId: 'run.fork-1',
      runId: 'r2',
      revision: 1,
      stepIndex: 2,
      status: 'in-progress',
      messages: full.messages,
      usage,
      businessState: { a: 1 },
      maxSteps: 4,
    });
  });

  it('C14 C15 drops what belongs to the source alone, and keeps what says that calls were started', () => {
    const error = { message: 'no', retryable: false, at: '2030-01-01T00:00:00.000Z' };
    const paused = source({
      status: 'awaiting-approval',
      approvalId: 'x',
      approvalIds: ['x', 'y'],
      approvalKind: 'question',
      pausedCalls: [{ approvalId: 'x', toolCallId: 'b' }],
      startedToolCallIds: ['c'],
      toolSteps: { c: { part: 1 } },
      lastError: error,
      attempts: 3,
    });
    const fork = forkedCheckpoint(paused, TARGET, {});
    expect(Object.keys(fork).toSorted()).toEqual([
      'messages',
      'revision',
      'runId',
      'sessionId',
      'startedToolCallIds',
      'status',
      'stepIndex',
      'toolSteps',
    ]);
    expect(fork.startedToolCallIds).toEqual(['c']);
  });

  it('carries fields that this version does not know', () => {
    expect(forkedCheckpoint(source({ flow: { node: 3 } } as never), TARGET, {})).toMatchObject({
      flow: { node: 3 },
    });
  });

  it('C9 has another result in the same place, with call id and tool name', () => {
    const fork = forkedCheckpoint(source(), TARGET, {
      toolResult: { toolCallId: 'a', result: { rain: true } },
    });
    expect(fork.messages[2]).toEqual({
      role: 'tool',
      toolCallId: 'a',
      toolName: 'work',
      content: '{"rain":true}',
    });
    expect(ids(fork.messages)).toEqual(['user', 'assistant', 'a', 'assistant']);
  });

  it('a result in the place of an error is no error', () => {
    const failed = source({ messages: [user('Go'), asking('a'), { ...result('a'), isError: true }] });
    const fork = forkedCheckpoint(failed, TARGET, { toolResult: { toolCallId: 'a', result: 1 } });
    expect(fork.messages[2]).not.toHaveProperty('isError');
  });

  it('of an id that the model used twice it is the newest result that is replaced', () => {
    const twice = source({ messages: [user('Go'), asking('a'), result('a'), asking('a'), result('a')] });
    const fork = forkedCheckpoint(twice, TARGET, { toolResult: { toolCallId: 'a', result: 'new' } });
    expect(fork.messages.map(({ content }) => content)).toEqual(['Go', '', '"a"', '', '"new"']);
  });

  it('of an id that is open again it is the open call that gets the result, not the settled one of an earlier turn', () => {
    const again = source({ messages: [user('Go'), asking('a'), result('a'), asking('a')] });
    const fork = forkedCheckpoint(again, TARGET, { toolResult: { toolCallId: 'a', result: 'new' } });
    expect(fork.messages.map(({ content }) => content)).toEqual(['Go', '', '"a"', '', '"new"']);
  });

  it('C11 a result for a call without one stands behind its turn, before input that is queued', () => {
    const open = source({ messages: [user('Go'), asking('a', 'b'), user('Queued')] });
    const first = forkedCheckpoint(open, TARGET, {
      toolResult: { toolCallId: 'a', result: 1 },
      appendInput: 'More',
    });
    expect(ids(first.messages)).toEqual(['user', 'assistant', 'a', 'user', 'user']);
    const second = forkedCheckpoint(open, TARGET, { toolResult: { toolCallId: 'b', result: 1 } });
    expect([ids(second.messages), ids(second.settledResults)]).toEqual([
      ['user', 'assistant', 'user'],
      ['b'],
    ]);
  });

  it('a result that stands apart is replaced there', () => {
    const apart = source({ messages: [user('Go'), asking('a', 'b')], settledResults: [result('b')] });
    const fork = forkedCheckpoint(apart, TARGET, { toolResult: { toolCallId: 'b', result: 'new' } });
    expect(fork.settledResults?.map(({ content }) => content)).toEqual(['"new"']);
    expect(ids(fork.messages)).toEqual(['user', 'assistant']);
  });

  it('C12 a call that is nowhere is refused', () => {
    expect(() => forkedCheckpoint(source(), TARGET, { toolResult: { toolCallId: 'z', result: 1 } })).toThrow(
      expect.objectContaining({ name: 'ConfigurationError' }),
    );
  });

  it('takes its patches in order: a result is looked for in the rewritten transcript', () => {
    const fork = forkedCheckpoint(source(), TARGET, {
      appendInput: 'More',
      toolResult: { toolCallId: 'new', result: 2 },
      messages: (messages) => [...messages.slice(0, 1), asking('new')],
    });
    expect(ids(fork.messages)).toEqual(['user', 'assistant', 'new', 'user']);
    expect(() =>
      forkedCheckpoint(source(), TARGET, {
        toolResult: { toolCallId: 'a', result: 2 },
        messages: (messages) => messages.slice(0, 1),
      }),
    ).toThrow(/transcript/);
  });

  it('state: null clears, undefined keeps', () => {
    const stateful = source({ businessState: { a: 1 } });
    expect(forkedCheckpoint(stateful, TARGET, { businessState: null }).businessState).toBeNull();
    expect(forkedCheckpoint(stateful, TARGET, { businessState: undefined }).businessState).toEqual({ a: 1 });
    expect(forkedCheckpoint(stateful, TARGET, { businessState: 0 }).businessState).toBe(0);
  });

  it('a value that cannot be stored is refused', () => {
    expect(() =>
      forkedCheckpoint(source(), TARGET, { toolResult: { toolCallId: 'a', result: 10n } }),
    ).toThrow(expect.objectContaining({ code: 'LOUSHO_VALUE_INVALID' }));
  });
});
