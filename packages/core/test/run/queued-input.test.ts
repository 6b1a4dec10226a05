import type { Message } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { apply } from '../../dist/run/apply.js';
import { resumedRun } from '../../dist/run/begin-run.js';
import { checkpointOf } from '../../dist/run/checkpoint-of.js';
import { decide, mayDropModelCall } from '../../dist/run/decide.js';
import type { QueuedInput, RunState } from '../../dist/run/run-state.js';
import { refusedBySteer, withdrawnResult } from '../../dist/run/withdraw.js';
import { asking, call, result, saying, state, user } from './support.js';

const queued = (text: string, isSteer = false): QueuedInput => ({
  id: text,
  messages: [user(text)],
  isSteer,
});
const queue = (before: RunState, input: QueuedInput, withdrawn: readonly Message[] = []) =>
  apply(before, { kind: 'input-queued', input, withdrawn });
const recorded = (run: RunState, status: 'in-progress' | 'awaiting-approval' | 'finished' = 'in-progress') =>
  checkpointOf(run, { revision: 1, status }).messages;
const told = (messages: readonly Message[]) =>
  messages.map(({ role, content, toolCallId }) => toolCallId ?? (content === '' ? role : content));

describe('queued input', () => {
  const more = queued('more');

  it('waits for the calls of the turn, then joins before anything else, while a step is left', () => {
    const turn = { messages: [user('Go'), asking('a')], queuedInputs: [more] };
    const settled = { messages: [...turn.messages, result('a')], queuedInputs: [more] };
    const answered = { messages: [user('Go'), saying('Done.')], queuedInputs: [more] };
    expect(decide(state(turn)).kind).toBe('call-tools');
    for (const fields of [settled, answered, { queuedInputs: [more] }])
      expect(decide(state({ ...fields, stepIndex: 9 }))).toEqual({ kind: 'join-input' });
    expect(decide(state({ ...settled, stepIndex: 10 }))).toEqual({ kind: 'finish', reason: 'max-steps' });
    expect(decide(state({ ...answered, stepIndex: 10 }))).toEqual({ kind: 'finish', reason: 'stop' });
  });

  it('stands in the record behind everything, in order, and in the transcript once it has joined', () => {
    let run = queue(state({ messages: [user('Go'), asking('a', 'b')] }), more);
    run = queue(run, queued('and more'));
    run = apply(run, { kind: 'call-settled', result: result('b') });
    expect(told(recorded(run))).toEqual(['Go', 'assistant', 'more', 'and more']);
    expect(told(run.messages)).toEqual(['Go', 'assistant']);
    run = apply(run, { kind: 'call-settled', result: result('a') });
    expect(told(recorded(run))).toEqual(['Go', 'assistant', 'a', 'b', 'more', 'and more']);
    const joined = apply(run, { kind: 'input-joined' });
    expect(joined.messages).toEqual(recorded(run));
    expect(joined.queuedInputs).toEqual([]);
    expect(decide(joined)).toEqual({ kind: 'ask-model' });
  });

  it('is what a run finds that is loaded from the record: input that the model has not seen', () => {
    const settings = { sessionId: 's', runId: 'other', agentMaxSteps: 10, systemPrompt: undefined };
    const run = queue(state({ messages: [user('Go'), asking('a')] }), more);
    const loaded = resumedRun(settings, checkpointOf(run, { revision: 1, status: 'in-progress' }));
    expect(decide(loaded).kind).toBe('call-tools');
    const settled = apply(loaded, { kind: 'call-settled', result: result('a') });
    expect(told(settled.messages)).toEqual(['Go', 'assistant', 'a', 'more']);
    expect(decide(settled)).toEqual({ kind: 'ask-model' });
  });

  it('is not taken along by a run that finishes, pauses or is aborted, and kept by one that fails', () => {
    const run = queue(state({ messages: [user('Go'), asking('a')] }), more);
    const pausedCalls = [{ approvalId: 'p', toolCallId: 'a' }];
    const lastError = { message: 'x', retryable: true, at: '2026-01-01T00:00:00.000Z' };
    expect(told(recorded(run, 'finished'))).not.toContain('more');
    const paused = apply(run, { kind: 'paused', pausedCalls });
    expect(told(recorded(paused, 'awaiting-approval'))).not.toContain('more');
    expect(told(recorded(apply(run, { kind: 'aborted' })))).not.toContain('more');
    for (const failing of [run, paused])
      expect(told(recorded(apply(failing, { kind: 'failed', lastError })))).toContain('more');
  });

  it('is no progress: failed attempts stay counted', () => {
    const failure = {
      lastError: { message: 'x', retryable: true, at: '2026-01-01T00:00:00.000Z' },
      attempts: 2,
    };
    expect(queue(state({ failure }), more).failure).toEqual(failure);
  });
});

describe('a steer', () => {
  const steer = queued('stop', true);

  it('gives the calls that it kept from starting their results with itself, and drops their finished parts', () => {
    const before = state({
      messages: [user('Go'), asking('a', 'b')],
      toolSteps: { a: { part: 1 }, b: { part: 2 } },
    });
    const why = { why: 'new input came first', mayHaveStarted: false };
    const after = queue(before, steer, [withdrawnResult(before, call('b'), why)]);
    expect(after.settledResults).toMatchObject([{ toolCallId: 'b', isError: true }]);
    expect(after.toolSteps).toEqual({ a: { part: 1 } });
    expect(decide(after)).toMatchObject({ kind: 'call-tools', calls: [{ id: 'a' }] });
  });

  it('says of a call what is known: a mark that it was started, a pause that it was not, otherwise what the caller knows', () => {
    const pausedCalls = [{ approvalId: 'p', toolCallId: 'paused' }];
    const run = state({ startedToolCallIds: ['marked'], pausedCalls });
    const kinds = (mayHaveStarted: boolean) =>
      ['marked', 'paused', 'other'].map((id) => {
        const { content } = withdrawnResult(run, call(id), { why: 'of a test', mayHaveStarted });
        const { kind, message } = JSON.parse(content as string) as { kind: string; message: string };
        return [kind, /may or may not/.test(message)];
      });
    const started = ['interrupted', true];
    expect(kinds(false)).toEqual([started, ['not-run', false], ['not-run', false]]);
    expect(kinds(true)).toEqual([started, ['not-run', false], ['not-run', true]]);
  });

  it('that waits refuses the calls of the next model turn; other input does not', () => {
    const turn = asking('a', 'b');
    const refused = [result('a', '"unknown tool"')];
    expect(refusedBySteer(state({ queuedInputs: [queued('more')] }), turn, refused)).toBe(refused);
    const all = refusedBySteer(state({ queuedInputs: [queued('more'), steer] }), turn, refused);
    expect(all.map((each) => each.toolCallId)).toEqual(['a', 'b']);
    expect(all[0]).toBe(refused[0]);
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('in the place of a model call (asked: %s) is a step and %i model call', (wasAsked, modelCalls) => {
    const after = apply(state({ stepIndex: 3 }), { kind: 'model-steered', input: steer, wasAsked });
    expect(after).toMatchObject({ stepIndex: 4, queuedInputs: [steer] });
    expect(after.usage).toEqual({ inputTokens: 0, outputTokens: 0, totalTokens: 0, modelCalls });
    expect(decide(after)).toEqual({ kind: 'join-input' });
  });

  it('may take it only while a step is left that answers', () => {
    expect([0, 8, 9, 10].map((stepIndex) => mayDropModelCall(state({ stepIndex })))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
