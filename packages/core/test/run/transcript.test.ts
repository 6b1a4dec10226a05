import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { joinTranscript, openCalls, repairEarlierTurns, splitTranscript } from '../../dist/run/transcript.js';
import { asking, result, saying, subsets, user } from './support.js';

describe('splitTranscript and joinTranscript', () => {
  it('are each other’s inverse for every state of a turn', () => {
    for (const settled of subsets(['a', 'b', 'c'])) {
      for (const queued of [[], [user('more')]]) {
        const start = [user('Go'), asking('a', 'b', 'c')];
        const { calls } = splitTranscript(
          start,
          settled.map((id) => result(id)),
        );
        const joined = joinTranscript({ settled: start, calls, queued });
        const again = splitTranscript(joined.messages, joined.settledResults);
        expect(joinTranscript(again)).toEqual(joined);
        expect(openCalls(joined.messages, joined.settledResults).map((call) => call.id)).toEqual(
          ['a', 'b', 'c'].filter((id) => !settled.includes(id)),
        );
      }
    }
  });

  it('of a transcript without calls: what the model has seen, and what it has not', () => {
    expect(splitTranscript([user('a'), saying('b'), user('c')])).toEqual({
      settled: [user('a'), saying('b')],
      calls: [],
      queued: [user('c')],
    });
    expect(splitTranscript([])).toEqual({ settled: [], calls: [], queued: [] });
  });

  it('give two calls of one id a result each', () => {
    const { calls } = splitTranscript([user('Go'), asking('x', 'x'), result('x', '1'), result('x', '2')]);
    expect(calls.map((entry) => entry.result?.content)).toEqual(['1', '2']);
  });
});

describe('repairEarlierTurns', () => {
  it('returns the same array when nothing is to be done', () => {
    const messages = [user('Go'), asking('a'), result('a'), saying('Done.'), user('More'), asking('a')];
    expect(repairEarlierTurns(messages)).toBe(messages);
    expect(repairEarlierTurns([])).toEqual([]);
  });

  it('makes every transcript valid that lost results of an earlier turn, and keeps those that it has', () => {
    for (const kept of subsets(['a', 'b', 'c'])) {
      for (const results of [kept, kept.toReversed()]) {
        const messages = [
          user('Go'),
          asking('a', 'b', 'c'),
          ...results.map((id) => result(id)),
          user('More'),
          saying('Done.'),
        ];
        const repaired = repairEarlierTurns(messages);
        expect(transcriptFaults(repaired)).toEqual([]);
        for (const id of kept) expect(repaired).toContainEqual(result(id));
      }
    }
  });

  it('leaves the last turn alone: its calls are still to be run', () => {
    const messages = [user('Go'), asking('a'), user('More'), asking('b', 'c'), result('b')];
    const repaired = repairEarlierTurns(messages);
    expect(repaired.slice(-2)).toEqual([asking('b', 'c'), result('b')]);
    expect(openCalls(repaired, []).map((call) => call.id)).toEqual(['c']);
  });
});
