import { describe, expect, it } from 'vitest';
import { sessionSteps, transcriptAt } from '../../dist/agent/session/session-steps.js';
import { asking, result, saying, user } from './support.js';

const TALK = [
  user('First'),
  asking('a', 'b'),
  result('a'),
  result('b'),
  saying('one'),
  user('Second'),
  asking('a'),
  result('a', '"again"'),
  saying('two'),
];

describe('the steps of a conversation', () => {
  it('are counted from 1, with the turn from 0, the place in the transcript and the results of their own calls', () => {
    expect(sessionSteps(TALK)).toEqual([
      {
        step: 1,
        turn: 0,
        messageIndex: 1,
        text: '',
        toolCalls: [
          { id: 'a', name: 'work', args: {}, result: 'a' },
          { id: 'b', name: 'work', args: {}, result: 'b' },
        ],
      },
      { step: 2, turn: 0, messageIndex: 4, text: 'one', toolCalls: [] },
      {
        step: 3,
        turn: 1,
        messageIndex: 6,
        text: '',
        toolCalls: [{ id: 'a', name: 'work', args: {}, result: 'again' }],
      },
      { step: 4, turn: 1, messageIndex: 8, text: 'two', toolCalls: [] },
    ]);
    expect(sessionSteps([])).toEqual([]);
    expect(sessionSteps([user('Nobody answered')])).toEqual([]);
  });

  it.each([
    [0, 0],
    [1, 4],
    [2, 5],
    [3, 8],
    [4, 9],
  ])('H12 up to step %i are %i messages: with the results, without what comes behind', (fromStep, length) => {
    expect(transcriptAt(TALK, fromStep)).toEqual(TALK.slice(0, length));
  });

  it.each([-1, 5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, undefined, '1'])(
    'H12 step %s is not there',
    (fromStep) => {
      expect(() => transcriptAt(TALK, fromStep as number)).toThrow(
        expect.objectContaining({ code: 'LOUSHO_SESSION_STEP_NOT_FOUND' }),
      );
    },
  );
});
