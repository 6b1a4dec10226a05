import { describe, expect, it } from 'vitest';
import { judgeDecision } from '../../dist/run/judge-decision.js';

const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const at = (ms: number) => ({ expiresAt: new Date(NOON + ms).toISOString() });
const approve = { id: 'a', approved: true };

describe('what a decision counts for', () => {
  it.each([
    ['one millisecond before the end', 1, true],
    ['at the very end', 0, false],
    ['after the end', -1, false],
  ])('an approval that comes %s', (_, leftMs, counts) => {
    expect(judgeDecision(at(leftMs), approve, NOON)).toEqual({
      id: 'a',
      approved: counts,
      decidedAt: '2026-01-01T12:00:00.000Z',
      ...(!counts && { isExpired: true }),
    });
  });

  it.each([{}, { expiresAt: 'next Tuesday' }, { expiresAt: '' }])('%j never expires', (approval) => {
    expect(judgeDecision(approval, approve, NOON * 2)).toMatchObject({ approved: true });
  });

  it('a rejection stays one, however late, with its note and who gave it', () => {
    const reject = { id: 'a', approved: false, note: 'no', by: 'ana' };
    const judged = judgeDecision(at(-1), reject, NOON);
    expect(judged).toEqual({ ...reject, decidedAt: '2026-01-01T12:00:00.000Z' });
  });

  it('an expiry in another time zone is the same instant', () => {
    const approval = { expiresAt: '2026-01-01T14:00:00+01:00' };
    expect(judgeDecision(approval, approve, NOON).approved).toBe(true);
    expect(judgeDecision(approval, approve, NOON + 3_600_000).approved).toBe(false);
  });
});
