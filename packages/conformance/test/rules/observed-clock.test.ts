import { type Certificate, type ConformanceHarness, isKept, runConformance } from '@lousho/conformance';
import { ReferenceLeases, referenceHarness, type StoredLease } from '@lousho/conformance/reference';
import { describe, expect, it } from 'vitest';

const TTLS = new WeakMap<StoredLease, number>();

/** Each client takes another's lease once it has itself seen it unchanged for its whole ttl. */
class ObservingLeases extends ReferenceLeases {
  readonly #seenAt = new WeakMap<StoredLease, number>();

  override isLive(lease: StoredLease): boolean {
    return this.parts.clock.monotonic() < this.see(lease) + (TTLS.get(lease) ?? 0);
  }

  override readNow(sessionId: string) {
    const held = this.held(sessionId);
    if (held) this.see(held);
    return super.readNow(sessionId);
  }

  override put(sessionId: string, owner: string, epoch: number, ttlMs: number): void {
    super.put(sessionId, owner, epoch, ttlMs);
    const held = this.held(sessionId) as StoredLease;
    TTLS.set(held, ttlMs);
    this.see(held);
  }

  see(lease: StoredLease): number {
    const seenAt = this.#seenAt.get(lease) ?? this.parts.clock.monotonic();
    this.#seenAt.set(lease, seenAt);
    return seenAt;
  }
}

/** Sees every lease for the first time, each time. */
class ForgetfulLeases extends ObservingLeases {
  override see(): number {
    return this.parts.clock.monotonic();
  }
}

function observing(leases: typeof ReferenceLeases): ConformanceHarness {
  const harness = referenceHarness({
    name: 'observing',
    capabilities: { clock: 'observed', deathProof: 'none' },
    classes: { leases },
  });
  return { ...harness, seams: [...(harness.seams ?? []), 'clientClock'] };
}

function failedOf({ rules }: Certificate): string[] {
  return rules.filter(({ outcome }) => outcome.kind === 'failed').map(({ id }) => id);
}

describe('a store with an observed clock', () => {
  it('is held to what its clients grant, and to runs that are taken over', async () => {
    const certificate = await runConformance(observing(ObservingLeases), {
      rules: ['CLAIM', 'LEASE', 'FENCE-12', 'RUN-06', 'EFFECT-03', 'RECOVERY'],
    });
    expect(failedOf(certificate)).toEqual([]);
    expect(isKept(certificate)).toBe(true);
    const bound = certificate.rules.filter(({ outcome }) => outcome.kind === 'passed').map(({ id }) => id);
    for (const id of ['LEASE-06', 'LEASE-34', 'FENCE-12', 'RUN-06', 'EFFECT-03', 'RECOVERY-01']) {
      expect(bound).toContain(id);
    }
  });

  it('that judges by an instant is refused', async () => {
    const certificate = await runConformance(observing(ReferenceLeases), { rules: ['LEASE-34'] });
    expect(failedOf(certificate)).toEqual(['LEASE-34']);
  });

  it('that forgets what it has seen is refused: no lease of it ever ends', async () => {
    const certificate = await runConformance(observing(ForgetfulLeases), {
      rules: ['LEASE-06', 'LEASE-34', 'RECOVERY-02'],
    });
    expect(failedOf(certificate)).toEqual(['LEASE-06', 'LEASE-06:without-grace', 'LEASE-34']);
  });
});
