import type { Message } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { newInputAfterFinish, newInputForUnfinished } from '../../dist/run/input.js';
import { asking, result, saying, user } from './support.js';

const SYSTEM: Message = { role: 'system', content: 'Be kind.' };

describe('newInputForUnfinished', () => {
  const stored = {
    messages: [
      SYSTEM,
      user('Hi'),
      saying('Hello.'),
      user('Do it'),
      user('please'),
      asking('a'),
      result('a'),
      user('queued'),
    ],
    runStart: { messageIndex: 3, messageCount: 2 },
  };
  const fresh = user('new');

  it.each<[string, Message[], Message[]]>([
    ['nothing', [], []],
    ['the start of the run', [user('Do it'), user('please')], []],
    ['the start, then more', [user('Do it'), user('please'), fresh], [fresh]],
    ['a copy of the run up to its queued input, then more', [...stored.messages.slice(3), fresh], [fresh]],
    ['the whole conversation', stored.messages.slice(1), []],
    ['the whole conversation, then more', [...stored.messages.slice(1), fresh], [fresh]],
    ['the history and the start only', stored.messages.slice(1, 5), []],
    ['the queued input', [user('queued')], []],
    ['the queued input, then more', [user('queued'), fresh], [fresh]],
    ['half of the start', [user('Do it')], [user('Do it')]],
    ['something new', [fresh], [fresh]],
    ['an earlier turn’s words', [user('Hi')], [user('Hi')]],
    [
      'the history without the start',
      [user('Hi'), saying('Hello.'), fresh],
      [user('Hi'), saying('Hello.'), fresh],
    ],
  ])('takes of %s only what is new', (_, input, wanted) => {
    expect(newInputForUnfinished(stored, input)).toEqual(wanted);
  });
});

describe('input that stands unanswered at the end', () => {
  const stored = {
    messages: [user('Coffee'), user('And tea'), user('And milk')],
    runStart: { messageIndex: 0, messageCount: 1 },
  };
  const fresh = user('new');

  it.each<[string, Message[], Message[]]>([
    ['the last of it', [user('And milk')], []],
    ['the last two', [user('And tea'), user('And milk')], []],
    ['the last of it, then more', [user('And milk'), fresh], [fresh]],
    ['one from its middle is new', [user('And tea')], [user('And tea')]],
    ['something else is new', [fresh], [fresh]],
  ])('said again: %s', (_, input, wanted) => {
    expect(newInputForUnfinished(stored, input)).toEqual(wanted);
  });
});

describe('newInputAfterFinish', () => {
  const stored = { sessionId: 's', stepIndex: 1, messages: [SYSTEM, user('Hi'), saying('Hello.')] };
  const fresh = user('new');

  it.each<[string, Message[], Message[]]>([
    ['nothing', [], []],
    ['new words', [fresh], [fresh]],
    ['the same words', [user('Hi')], [user('Hi')]],
    ['the history, then more', [user('Hi'), saying('Hello.'), fresh], [fresh]],
    ['the history alone', [user('Hi'), saying('Hello.')], []],
    ['another history', [user('Hi'), saying('Hello!'), fresh], [user('Hi'), saying('Hello!'), fresh]],
  ])('takes of %s only what is new', (_, input, wanted) => {
    expect(newInputAfterFinish(stored, input)).toEqual(wanted);
  });

  it('compares content parts by what they say, bytes included', () => {
    const parts = (byte: number): Message => ({
      role: 'user',
      content: [{ type: 'image', image: new Uint8Array([byte]) }],
    });
    const session = { sessionId: 's', stepIndex: 1, messages: [parts(1), saying('A cat.')] };
    expect(newInputAfterFinish(session, [parts(1), saying('A cat.'), fresh])).toEqual([fresh]);
    expect(newInputAfterFinish(session, [parts(2), saying('A cat.'), fresh])).toHaveLength(3);
  });
});
