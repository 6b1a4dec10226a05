import type { Message } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { decide } from '../../dist/run/decide.js';
import { joinTranscript, splitTranscript } from '../../dist/run/transcript.js';
import { asking, result, saying, state, subsets, user } from './support.js';

const CALLS = ['a', 'b', 'c'];

/** Every state of a last turn of up to three calls, with and without input behind it. */
function everyTurn() {
  return [1, 2, 3].flatMap((count) => {
    const ids = CALLS.slice(0, count);
    return subsets(ids).flatMap((settled) =>
      [[], [user('more')], [user('more'), user('and more')]].map((queued: Message[]) => {
        const turn = { settled: [user('Go'), asking(...ids)], queued };
        const calls = splitTranscript(
          turn.settled,
          settled.map((id) => result(id)),
        ).calls;
        return { ids, settled, queued, ...joinTranscript({ ...turn, calls }) };
      }),
    );
  });
}

describe('decide', () => {
  it('calls exactly the calls without a result, in call order, before anything else, also out of budget', () => {
    for (const { ids, settled, messages, settledResults } of everyTurn()) {
      const open = ids.filter((id) => !settled.includes(id));
      if (open.length === 0) continue;
      for (const stepIndex of [0, 1, 10, 11]) {
        const next = decide(state({ messages, settledResults, stepIndex }));
        expect(next.kind).toBe('call-tools');
        expect(next.kind === 'call-tools' && next.calls.map((call) => call.id)).toEqual(open);
      }
    }
  });

  it('asks the model once every call has its result, within the budget', () => {
    for (const { ids, settled, messages, settledResults } of everyTurn()) {
      if (settled.length < ids.length) continue;
      expect(decide(state({ messages, settledResults, stepIndex: 9 }))).toEqual({ kind: 'ask-model' });
      expect(decide(state({ messages, settledResults, stepIndex: 10 }))).toEqual({
        kind: 'finish',
        reason: 'max-steps',
      });
    }
  });

  it('asks the model for a reply to input', () => {
    for (const messages of [
      [user('Go')],
      [user('Go'), saying('Done.'), user('More')],
      [user('a'), user('b')],
    ])
      expect(decide(state({ messages }))).toEqual({ kind: 'ask-model' });
  });

  it('finishes on a reply without calls, for the model’s reason, also with the last step used up', () => {
    const messages = [user('Go'), saying('Done.')];
    expect(decide(state({ messages }))).toEqual({ kind: 'finish', reason: 'stop' });
    expect(decide(state({ messages, finishReason: 'length', stepIndex: 10 }))).toEqual({
      kind: 'finish',
      reason: 'length',
    });
  });
});
