import { seeded } from '@lousho/conformance';
import { checkLinearizable, type History, type RecordedCall } from '@lousho/conformance/checkers';
import { describe, expect, it } from 'vitest';
import { acquire, type Call, history, load, release, remove, renew, save } from './support/calls.js';
import { modelHistory } from './support/model-history.js';

const [a, b] = ['owner-a', 'owner-b'];

const GOOD: Readonly<Record<string, readonly Call[]>> = {
  'nothing at all': [],
  'one owner, from grant to release': [
    { does: acquire(a) },
    { does: load(null) },
    { does: save(a, 1) },
    { does: load(1) },
    { does: release(a) },
    { does: acquire(b) },
  ],
  'another owner is refused while the lease lives': [
    { does: acquire(a) },
    { by: 'b', does: acquire(b, false), atMs: 1_499 },
  ],
  'and granted the id at expiry plus grace': [
    { does: acquire(a) },
    { by: 'b', does: acquire(b), atMs: 1_500 },
  ],
  'a holder past its expiry that nobody has replaced renews and saves': [
    { does: acquire(a) },
    { does: renew(a), atMs: 9_000 },
    { does: save(a, 1), atMs: 20_000 },
  ],
  'the former holder is refused': [
    { does: acquire(a) },
    { by: 'b', does: acquire(b), atMs: 1_500 },
    { does: renew(a, false), atMs: 1_500 },
    { does: save(a, 1, false), atMs: 1_500 },
  ],
  'a delete ends the lease and the value': [
    { does: acquire(a) },
    { does: save(a, 1) },
    { by: 'b', does: remove },
    { does: load(null) },
    { does: save(a, 2, false) },
  ],
  'two that ask at once: either may win': [
    { does: acquire(a, false), during: 1 },
    { by: 'b', does: acquire(b) },
  ],
  'a save without an answer that happened': [
    { does: acquire(a) },
    { does: save(a, 1, 'unknown') },
    { by: 'b', does: load(null) },
    { by: 'b', does: load(1) },
  ],
  'a save without an answer that did not': [
    { does: acquire(a) },
    { does: save(a, 1, 'unknown') },
    { does: load(null) },
  ],
  'a grant without an answer keeps others out': [
    { does: acquire(a, 'unknown') },
    { by: 'b', does: acquire(b, false) },
  ],
  'a renewal that prolonged its lease, and lost it before it was answered': [
    { does: acquire(a) },
    { does: renew(a, false), atMs: 900, during: 2, untilMs: 2_500 },
    { by: 'b', does: acquire(b, false), atMs: 2_399 },
    { by: 'b', does: acquire(b), atMs: 2_400 },
  ],
  'a foreign release changes nothing': [
    { does: acquire(a) },
    { by: 'b', does: release(b) },
    { by: 'b', does: acquire(b, false) },
  ],
};

const BAD: Readonly<Record<string, readonly Call[]>> = {
  'two holders at once': [{ does: acquire(a) }, { by: 'b', does: acquire(b), atMs: 1_499 }],
  'a refusal while nobody holds the id': [{ does: acquire(a, false) }],
  'a refusal of the holder itself': [{ does: acquire(a) }, { does: acquire(a, false) }],
  'a refusal for longer than a renewal can have prolonged a lease that was lost': [
    { does: acquire(a) },
    { does: renew(a, false), atMs: 900, during: 2, untilMs: 1_000 },
    { by: 'b', does: acquire(b, false), atMs: 2_500 },
    { by: 'b', does: acquire(b), atMs: 2_500 },
  ],
  'a refusal behind a renewal that came too late to prolong anything': [
    { does: acquire(a) },
    { by: 'b', does: acquire(b), atMs: 1_500 },
    { by: 'b', does: release(b), atMs: 1_500 },
    { does: renew(a, false), atMs: 1_500, during: 1 },
    { by: 'c', does: acquire('owner-c', false), atMs: 1_500 },
  ],
  'a refusal for ever': [{ does: acquire(a) }, { by: 'b', does: acquire(b, false), atMs: 1_500 }],
  'a renewal that steals': [
    { does: acquire(a) },
    { by: 'b', does: acquire(b), atMs: 1_500 },
    { does: renew(a), atMs: 1_500 },
  ],
  'a renewal that is refused to the holder': [{ does: acquire(a) }, { does: renew(a, false) }],
  'a renewal that is not counted': [
    { does: acquire(a) },
    { does: renew(a), atMs: 900 },
    { by: 'b', does: acquire(b), atMs: 1_600 },
  ],
  'a save of the former holder': [
    { does: acquire(a) },
    { by: 'b', does: acquire(b), atMs: 1_500 },
    { does: save(a, 1), atMs: 1_500 },
  ],
  'a save without a lease': [{ does: save(a, 1) }],
  'a save that was refused to the holder': [{ does: acquire(a) }, { does: save(a, 1, false) }],
  'a load of what was replaced': [
    { does: acquire(a) },
    { does: save(a, 1) },
    { does: save(a, 2) },
    { does: load(1) },
  ],
  'a load of what nobody saved': [{ does: load(7) }],
  'a save without an answer that comes and goes': [
    { does: acquire(a) },
    { does: save(a, 1, 'unknown') },
    { by: 'b', does: load(1) },
    { by: 'b', does: load(null) },
  ],
  'a release that takes away the successor’s lease': [
    { does: acquire(a) },
    { by: 'b', does: acquire(b), atMs: 1_500 },
    { does: release(a), atMs: 1_500 },
    { by: 'c', does: acquire('owner-c'), atMs: 1_500 },
  ],
  'a lease that survives a delete': [{ does: acquire(a) }, { by: 'b', does: remove }, { does: save(a, 1) }],
};

describe('a history of one id', () => {
  it.each(Object.entries(GOOD))('is accepted: %s', (_, calls) => {
    expect(checkLinearizable(history(calls)).kind).toBe('linearizable');
  });

  it.each(Object.entries(BAD))('is rejected: %s', (_, calls) => {
    expect(checkLinearizable(history(calls)).kind).toBe('violation');
  });

  it('allows for clocks that are off, and for no more', () => {
    const early = [{ does: acquire(a) }, { by: 'b', does: acquire(b), atMs: 1_460 }];
    expect(checkLinearizable(history(early, { skewMs: 20 })).kind).toBe('linearizable');
    expect(checkLinearizable(history(early, { skewMs: 19 })).kind).toBe('violation');
  });

  it('allows an early take-over once the owner has provably ended', () => {
    const early = [{ does: acquire(a) }, { by: 'b', does: acquire(b), atMs: 10 }];
    expect(checkLinearizable(history(early, { deaths: new Map([[a, 7]]) })).kind).toBe('linearizable');
    expect(checkLinearizable(history(early, { deaths: new Map([[a, 99]]) })).kind).toBe('violation');
  });

  it('that takes too many steps is undecided', () => {
    const verdict = checkLinearizable(modelHistory(1), { maxSteps: 10 });
    expect(verdict).toMatchObject({ kind: 'undecided', steps: 11 });
  });

  it('that has no quiet moment within a window is undecided', () => {
    const calls = Array.from({ length: 5 }, () => ({ does: load(null), during: 1 }));
    expect(checkLinearizable(history(calls), { maxCalls: 4 }).kind).toBe('undecided');
  });
});

describe('histories of a model', () => {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed);

  it.each([
    ['with every answer', {}],
    ['of many clients', { clients: 12, calls: 120 }],
    ['with lost answers', { unknownPercent: 10 }],
  ])('are accepted %s', (_, options) => {
    const verdicts = seeds.map((seed) => checkLinearizable(modelHistory(seed, options)).kind);
    expect(new Set(verdicts)).toEqual(new Set(['linearizable']));
  });

  it('are accepted in windows, lost answers carried from one to the next', () => {
    for (const seed of seeds.slice(0, 100)) {
      const long = modelHistory(seed, { clients: 2, calls: 100, unknownPercent: 3 });
      const verdict = checkLinearizable(long, { maxCalls: 40 });
      expect([seed, verdict.kind]).toEqual([seed, 'linearizable']);
    }
  });

  it('a window judges as the whole does', () => {
    for (const seed of seeds.slice(0, 100)) {
      const bad = corrupted(modelHistory(seed, { clients: 2, calls: 60, unknownPercent: 2 }), seed);
      const whole = checkLinearizable(bad).kind;
      expect([seed, checkLinearizable(bad, { maxCalls: 30 }).kind]).toEqual([seed, whole]);
    }
  });

  it('of 1,176 calls by 22 clients on one id are decided', () => {
    const verdict = checkLinearizable(modelHistory(3, { clients: 22, calls: 1_176 }));
    expect(verdict.kind).toBe('linearizable');
  });

  it('with one wrong answer are mostly rejected', () => {
    const verdicts = seeds.map((seed) => checkLinearizable(corrupted(modelHistory(seed), seed)).kind);
    const rejected = verdicts.filter((kind) => kind === 'violation').length;
    expect(rejected).toBeGreaterThan(0.8 * seeds.length);
    expect(verdicts).not.toContain('undecided');
  });
});

/** One answer turned round, or one load that found another value. */
function corrupted(good: History, seed: number): History {
  const random = seeded(seed);
  const at = random.pick(good.calls.flatMap((call, index) => (isCorruptible(call) ? [index] : [])));
  const calls = good.calls.map((call, index) => {
    if (index !== at) return call;
    const { answer } = call.operation;
    const wrong = typeof answer === 'boolean' ? !answer : answer === null ? 9_999 : null;
    return { ...call, operation: { ...call.operation, answer: wrong } as RecordedCall['operation'] };
  });
  return { ...good, calls };
}

function isCorruptible({ operation }: RecordedCall): boolean {
  return operation.answer !== 'unknown' && operation.answer !== 'done';
}
