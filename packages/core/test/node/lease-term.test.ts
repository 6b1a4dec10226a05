import { type HostTime, isLeaseOver, leaseTerm, takeableAtMs } from '@lousho/core/node';
import { describe, expect, it } from 'vitest';

const TTL = 30_000;

function at(fields: Partial<HostTime> = {}): HostTime {
  return { domain: 'boot-1', monotonicMs: 1_000, wallMs: 1_700_000_000_000, ...fields };
}

const granted = leaseTerm(at(), TTL);

describe('isLeaseOver', () => {
  it.each([0, 30_000])(
    'within one boot is false one millisecond before the expiry plus a grace of %i, and true at it',
    (grace) => {
      const over = (monotonicMs: number) => isLeaseOver(granted, at({ monotonicMs }), grace);
      expect([-1, 0, 1].map((offset) => over(1_000 + TTL + grace + offset))).toEqual([false, true, true]);
    },
  );

  it.each([0, 30_000])(
    'of another boot is judged by the wall clock, to the millisecond, with a grace of %i',
    (grace) => {
      const over = (wallMs: number) =>
        isLeaseOver(granted, at({ domain: 'boot-2', monotonicMs: 0, wallMs }), grace);
      expect([-1, 0, 1].map((offset) => over(at().wallMs + TTL + grace + offset))).toEqual([
        false,
        true,
        true,
      ]);
    },
  );

  it('within one boot does not look at the wall clock, wherever it was set', () => {
    for (const wallMs of [0, 4e12]) {
      expect(isLeaseOver(granted, at({ wallMs, monotonicMs: 1_000 + TTL - 1 }), 0)).toBe(false);
      expect(isLeaseOver(granted, at({ wallMs, monotonicMs: 1_000 + TTL }), 0)).toBe(true);
    }
  });

  it('of another boot does not look at the monotonic clock, which starts again', () => {
    expect(isLeaseOver(granted, at({ domain: 'boot-2', monotonicMs: 1e9 }), 0)).toBe(false);
  });
});

describe('takeableAtMs', () => {
  it.each(['boot-1', 'boot-2'])(
    'is the wall instant from which the lease is over, seen from %s',
    (domain) => {
      const now = at({ domain, monotonicMs: 5_000, wallMs: at().wallMs + 4_000 });
      const takeable = takeableAtMs(granted, now, 30_000);
      const wait = takeable - now.wallMs;
      const later = (ms: number) => ({ ...now, monotonicMs: now.monotonicMs + ms, wallMs: now.wallMs + ms });
      expect(isLeaseOver(granted, later(wait), 30_000)).toBe(true);
      expect(isLeaseOver(granted, later(wait - 1), 30_000)).toBe(false);
    },
  );

  it('shows a wall clock that was set as it stands now', () => {
    const now = at({ monotonicMs: 1_000, wallMs: 0 });
    expect(takeableAtMs(granted, now, 0)).toBe(TTL);
  });
});
