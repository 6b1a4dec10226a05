import { hasOwnerEnded, markOwnerEnded } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

const BOUND = 10_000;

describe('ended owners', () => {
  it('knows only those that were marked', () => {
    markOwnerEnded('worker-a');
    markOwnerEnded('worker-a');
    expect(hasOwnerEnded('worker-a')).toBe(true);
    expect(hasOwnerEnded('worker-b')).toBe(false);
  });

  it('remembers the newest 10,000 and lets the oldest go', () => {
    for (let index = 0; index < BOUND + 5; index++) markOwnerEnded(`run-${index}`);
    expect(Array.from({ length: 6 }, (_, index) => hasOwnerEnded(`run-${index}`))).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(hasOwnerEnded(`run-${BOUND + 4}`)).toBe(true);
    expect(hasOwnerEnded('worker-a')).toBe(false);
  });
});
