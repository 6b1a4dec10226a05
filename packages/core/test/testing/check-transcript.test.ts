import type { Message } from '@lousho/core/contract';
import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { asking, permutations, result, saying, subsets, user } from '../run/support.js';

const SYSTEM: Message = { role: 'system', content: 'Be kind.' };

describe('transcriptFaults', () => {
  it.each<[string, Message[]]>([
    ['nothing', []],
    ['a question', [user('Hi')]],
    ['a conversation', [SYSTEM, user('Hi'), saying('Hello.'), user('More'), saying('Fine.')]],
    ['two user messages in a row', [user('a'), user('b')]],
    ['a turn with its results', [user('Go'), asking('a', 'b'), result('a'), result('b'), saying('Done.')]],
    ['an id used again in a later turn', [user('Go'), asking('a'), result('a'), asking('a'), result('a')]],
  ])('%s is valid', (_, messages) => {
    expect(transcriptFaults(messages)).toEqual([]);
  });

  it.each<[string, Message[], RegExp]>([
    ['a result that nobody asked for', [user('Go'), result('a')], /no open call/],
    ['a second result', [user('Go'), asking('a'), result('a'), result('a')], /no open call/],
    ['a result of another id', [user('Go'), asking('a'), result('b')], /no open call/],
    [
      'a result in a later turn',
      [user('Go'), asking('a'), user('x'), result('a')],
      /before the results of a/,
    ],
    ['a reply before the results', [user('Go'), asking('a'), saying('Done.')], /before the results of a/],
    ['an end without results', [user('Go'), asking('a', 'b'), result('a')], /no results for b/],
    ['one id twice in a turn', [user('Go'), asking('a', 'a'), result('a'), result('a')], /twice/],
    ['a system message in the middle', [user('Go'), SYSTEM], /not the first/],
    ['a reply before any question', [SYSTEM, saying('Hello.')], /before any user message/],
  ])('%s is a fault', (_, messages, fault) => {
    expect(transcriptFaults(messages).join('\n')).toMatch(fault);
  });

  it('of all ways to answer three calls, exactly the whole ones are valid', () => {
    for (const some of subsets(['a', 'b', 'c'])) {
      for (const order of permutations(some)) {
        const faults = transcriptFaults([
          user('Go'),
          asking('a', 'b', 'c'),
          ...order.map((id) => result(id)),
        ]);
        expect(faults.length === 0).toBe(some.length === 3);
      }
    }
  });
});
