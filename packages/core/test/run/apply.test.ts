import type { Message } from '@lousho/core/contract';
import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { apply } from '../../dist/run/apply.js';
import type { RunState } from '../../dist/run/run-state.js';
import { asking, permutations, result, saying, state, subsets, user } from './support.js';

const ids = (messages: readonly Message[]) =>
  messages.filter((message) => message.role === 'tool').map((message) => message.toolCallId);

const settle = (before: RunState, id: string) => apply(before, { kind: 'call-settled', result: result(id) });

describe('apply: a settled call', () => {
  it.each([1, 2, 3, 4])(
    'of %i calls, in every order: placed when next in call order, apart until then',
    (count) => {
      const calls = ['a', 'b', 'c', 'd'].slice(0, count);
      for (const order of permutations(calls)) {
        let run = state({ messages: [user('Go'), asking(...calls), user('queued')] });
        const done = new Set<string>();
        for (const id of order) {
          run = settle(run, id);
          done.add(id);
          const firstOpen = calls.findIndex((each) => !done.has(each));
          const placed = firstOpen === -1 ? calls : calls.slice(0, firstOpen);
          expect(ids(run.messages)).toEqual(placed);
          expect(ids(run.settledResults)).toEqual(
            calls.filter((each) => done.has(each) && !placed.includes(each)),
          );
          expect(run.messages.at(-1)).toEqual(user('queued'));
        }
        expect(transcriptFaults(run.messages)).toEqual([]);
      }
    },
  );

  it('goes to its own turn when an id is used again', () => {
    const messages = [user('Go'), asking('x'), result('x', '1'), asking('x')];
    const run = apply(state({ messages }), { kind: 'call-settled', result: result('x', '2') });
    expect(run.messages.map((message) => message.content)).toEqual(['Go', '', '1', '', '2']);
  });

  it('keeps the objects of the messages before it, so that a save can leave them out', () => {
    const before = state({ messages: [user('Go'), asking('a', 'b'), result('a')] });
    const after = settle(before, 'b');
    before.messages.forEach((message, index) => {
      expect(after.messages[index]).toBe(message);
    });
  });

  it('that belongs to no open call changes no transcript', () => {
    const before = state({ messages: [user('Go'), asking('a'), result('a')] });
    expect(settle(before, 'a').messages).toEqual(before.messages);
    expect(settle(before, 'ghost').messages).toEqual(before.messages);
  });
});

describe('apply: an answer of the model', () => {
  const usage = { inputTokens: 5, outputTokens: 2, cachedInputTokens: 1 };

  it('is one step, adds its usage, and stands at the end', () => {
    const before = state({
      stepIndex: 3,
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, modelCalls: 3 },
    });
    const message = { ...saying('Done.'), usage };
    const after = apply(before, { kind: 'model-answered', message, finishReason: 'stop', refused: [] });
    expect(after).toMatchObject({
      stepIndex: 4,
      finishReason: 'stop',
      usage: { inputTokens: 6, outputTokens: 3, totalTokens: 9, modelCalls: 4, cachedInputTokens: 1 },
      messages: [user('Go'), message],
    });
  });

  it('takes the refused calls’ results with it', () => {
    for (const refused of subsets(['a', 'b', 'c'])) {
      const after = apply(state(), {
        kind: 'model-answered',
        message: asking('a', 'b', 'c'),
        finishReason: 'tool_calls',
        refused: refused.map((id) => result(id)),
      });
      expect([...ids(after.messages), ...ids(after.settledResults)]).toEqual(refused);
    }
  });
});

describe('apply: an abort', () => {
  it('gives each call without a result a cancelled one, keeps the others, in call order', () => {
    const calls = ['a', 'b', 'c'];
    for (const settled of subsets(calls)) {
      const before = settled.reduce(
        settle,
        state({ messages: [user('Go'), asking(...calls), user('queued')] }),
      );
      const after = apply(before, { kind: 'aborted' });
      expect(transcriptFaults(after.messages)).toEqual([]);
      expect(ids(after.messages)).toEqual(calls);
      expect(after.settledResults).toEqual([]);
      const cancelled = after.messages
        .filter((message) => message.isError)
        .map((message) => message.toolCallId);
      expect(cancelled).toEqual(calls.filter((id) => !settled.includes(id)));
      expect(after.messages.at(-1)).toEqual(user('queued'));
    }
  });

  it('changes nothing where no call is open', () => {
    for (const messages of [
      [user('Go')],
      [user('Go'), saying('Done.')],
      [user('Go'), asking('a'), result('a')],
    ])
      expect(apply(state({ messages }), { kind: 'aborted' }).messages).toEqual(messages);
  });
});

describe('apply: a failed attempt', () => {
  const lastError = { message: 'no', retryable: true, at: '2026-01-01T00:00:00.000Z' };

  it('counts, and changes nothing else', () => {
    const before = state();
    const once = apply(before, { kind: 'failed', lastError });
    expect(once).toEqual({ ...before, failure: { lastError, attempts: 1 } });
    const other = { ...lastError, message: 'again no' };
    expect(apply(once, { kind: 'failed', lastError: other }).failure).toEqual({
      lastError: other,
      attempts: 2,
    });
  });

  it('is forgotten with any progress', () => {
    const failed = apply(state({ messages: [user('Go'), asking('a')] }), { kind: 'failed', lastError });
    expect(settle(failed, 'a').failure).toBeUndefined();
    expect(apply(failed, { kind: 'aborted' }).failure).toBeUndefined();
    const answer = {
      kind: 'model-answered',
      message: saying('x'),
      finishReason: 'stop',
      refused: [],
    } as const;
    expect(apply(failed, answer).failure).toBeUndefined();
  });
});
