import type { History, Operation, RecordedCall } from '@lousho/conformance/checkers';

/** One call; in the order of the list, each returns before the next unless `during` says how many further ones it lasts. */
export interface Call {
  readonly by?: string;
  readonly does: Operation;
  readonly during?: number;
  readonly atMs?: number;
  /** When it returns; default: at once. */
  readonly untilMs?: number;
}

export function history(calls: readonly Call[], options: Partial<Omit<History, 'calls'>> = {}): History {
  const recorded = calls.map(
    ({ by = 'a', does, during = 0, atMs = 0, untilMs = atMs }, index): RecordedCall => {
      const isLost = does.answer === 'unknown';
      return {
        client: by,
        operation: does,
        calledAt: index * 10,
        returnedAt: isLost ? Infinity : (index + during) * 10 + 5 + (during > 0 ? index / 100 : 0),
        calledMs: atMs,
        returnedMs: isLost ? Infinity : untilMs,
      };
    },
  );
  return { calls: recorded, graceMs: 500, skewMs: 0, ...options };
}

export const acquire = (owner: string, answer: boolean | 'unknown' = true): Operation => ({
  kind: 'acquire',
  owner,
  ttlMs: 1_000,
  answer,
});
export const renew = (owner: string, answer: boolean | 'unknown' = true): Operation => ({
  kind: 'renew',
  owner,
  ttlMs: 1_000,
  answer,
});
export const release = (owner: string): Operation => ({ kind: 'release', owner, answer: 'done' });
export const save = (owner: string, value: number, answer: boolean | 'unknown' = true): Operation => ({
  kind: 'save',
  owner,
  value,
  answer,
});
export const load = (answer: number | null): Operation => ({ kind: 'load', answer });
export const remove: Operation = { kind: 'delete', answer: 'done' };
