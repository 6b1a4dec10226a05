import type { AgentFingerprint } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { apply } from '../../dist/run/apply.js';
import { decide } from '../../dist/run/decide.js';
import { dueCalls, handoffResult, handoffsIn, refusedTransfers } from '../../dist/run/handoff.js';
import { asking, call, permutations, result, state, subsets, user } from './support.js';

const isTransfer = ({ id }: { readonly id: string }) => id === 'h';
const MARK = { from: 'triage', to: 'billing' };
const PRINT: AgentFingerprint = { version: 1, tools: {}, instructions: '', hash: 'of billing' };

describe('the transfers of a turn', () => {
  it('3.9 wait for all other open calls, wherever they stand', () => {
    for (const ids of permutations(['a', 'b', 'h'])) {
      for (const open of subsets(ids).map((some) => some.map((id) => call(id)))) {
        const others = open.filter(({ id }) => id !== 'h');
        expect(dueCalls(open, isTransfer)).toEqual(others.length > 0 ? others : open);
      }
    }
  });

  it.each([
    [0, 1, 5, []],
    [4, 1, 5, []],
    [5, 1, 5, ['most']],
    [6, 1, 5, ['most']],
    [0, 3, 5, ['only one', 'only one']],
    [5, 3, 5, ['most', 'most', 'most']],
    [0, 0, 1, []],
    [1, 0, 1, []],
  ])('3.9 after %i handoffs, %i transfers where %i are allowed', (done, count, max, reasons) => {
    const transfers = Array.from({ length: count }, (_, index) => call(`h${index}`));
    const refused = refusedTransfers(transfers, { done, max });
    expect(refused.map(({ toolCallId }) => toolCallId)).toEqual(
      transfers.slice(count - reasons.length).map(({ id }) => id),
    );
    refused.forEach(({ content, isError }, index) => {
      expect(isError).toBe(true);
      expect(content).toContain(reasons[index]);
    });
  });
});

describe('a handoff in a run', () => {
  const transferred = handoffResult(call('h'), MARK);

  it('is the last result of its turn, and changes whose fingerprint the record has', () => {
    const before = state({ messages: [user('Go'), asking('h', 'a')], settledResults: [result('a')] });
    const after = apply(before, { kind: 'handed-over', result: transferred, agentFingerprint: PRINT });
    expect(after.messages).toEqual([user('Go'), asking('h', 'a'), transferred, result('a')]);
    expect(after.settledResults).toEqual([]);
    expect(after.agentFingerprint).toBe(PRINT);
    expect(decide(after)).toEqual({ kind: 'ask-model' });
  });

  it('ends the count of failed attempts, as every progress', () => {
    const lastError = { message: 'no', retryable: true, at: '2026-01-01T00:00:00.000Z' };
    const before = state({ messages: [user('Go'), asking('h')], failure: { lastError, attempts: 2 } });
    expect(
      apply(before, { kind: 'handed-over', result: transferred, agentFingerprint: PRINT }).failure,
    ).toBeUndefined();
  });

  it('is found by its mark, in order, and only on results', () => {
    const back = handoffResult(call('back'), { from: 'billing', to: 'triage', model: null });
    const noise = { ...user('x'), metadata: { handoff: MARK } };
    const odd = { ...result('o'), metadata: { handoff: 'billing' } };
    expect(handoffsIn([noise, asking('h'), transferred, odd, result('a'), asking('back'), back])).toEqual([
      MARK,
      { from: 'billing', to: 'triage', model: null },
    ]);
  });
});
