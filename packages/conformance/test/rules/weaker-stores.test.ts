import {
  type Certificate,
  type ConformanceHarness,
  isKept,
  runConformance,
  textReport,
} from '@lousho/conformance';
import { referenceHarness } from '@lousho/conformance/reference';
import type { AgentStore, Checkpoint, CheckpointStore, StoreCapabilities } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

/** A store of three methods, as short as one can be. */
function threeMethods(capabilities?: StoreCapabilities): ConformanceHarness {
  return ofStore('three methods', () => {
    const saved = new Map<string, string>();
    return {
      checkpoints: {
        ...(capabilities && { capabilities }),
        save: async (id, checkpoint) => void saved.set(id, JSON.stringify(checkpoint)),
        load: async (id) => JSON.parse(saved.get(id) ?? 'null') as Checkpoint | null,
        delete: async (id) => void saved.delete(id),
      },
    };
  });
}

/** One store object for all clients of a storage. */
function ofStore(name: string, make: () => AgentStore): ConformanceHarness {
  return {
    name,
    createStorage: async () => {
      const store = make();
      return { open: async () => store, dispose: async () => {} };
    },
  };
}

/** The reference, with the checkpoints changed. */
function reference(change: (checkpoints: CheckpointStore) => CheckpointStore): ConformanceHarness {
  const harness = referenceHarness();
  return {
    ...harness,
    createStorage: async (options) => {
      const storage = await harness.createStorage(options);
      return {
        ...storage,
        open: async () => {
          const store = await storage.open();
          const changed = store.checkpoints && change(store.checkpoints);
          return { ...store, ...(changed && { checkpoints: changed }) };
        },
      };
    },
  };
}

function failedOf({ rules }: Certificate): string[] {
  return rules.filter(({ outcome }) => outcome.kind === 'failed').map(({ id }) => id);
}

describe('a store of three methods', () => {
  it('gets a report of what it keeps, what it breaks and what it does not claim', async () => {
    const certificate = await runConformance(threeMethods({ reads: 'latest' }), { seed: 1 });
    // JSON alone loses bytes and -0.
    expect(failedOf(certificate)).toEqual([
      'FIDELITY-01',
      'FIDELITY-05',
      'FIDELITY-06',
      'FIDELITY-07',
      'FIDELITY-10:bytes',
    ]);
    expect(certificate.counts.applied).toBeGreaterThan(40);
    expect(certificate.counts['not-claimed']).toBeGreaterThan(100);
    const report = textReport(certificate, ({ id }) => `replay ${id}`);
    expect(report).toContain('fencing is none, the baseline atomic: two replicas can both advance one run');
    expect(report).toMatch(
      /FAILED {3}FIDELITY-05: A `Uint8Array` comes back[\s\S]*promised:[\s\S]*seen:[\s\S]*replay FIDELITY-05/,
    );
  });
});

describe('a declaration', () => {
  it('of nothing is printed as what is missing, and binds little', async () => {
    const harness = reference((checkpoints) =>
      view(checkpoints, { capabilities: undefined, saveIfLeased: undefined }),
    );
    const certificate = await runConformance(harness, { rules: ['CLAIM', 'FENCE', 'CHECKPOINT'] });
    expect(isKept(certificate)).toBe(true);
    expect(certificate.shortcomings.join('\n')).toMatch(/fencing is none.*\n.*reads is eventual/);
  });

  it('of no fencing beside a saveIfLeased is refused', async () => {
    const certificate = await runConformance(
      reference((checkpoints) => view(checkpoints, { capabilities: {} })),
      {
        rules: ['CLAIM'],
      },
    );
    expect(failedOf(certificate)).toEqual(['CLAIM-03']);
  });

  it('of fencing without the methods of a lease is refused', async () => {
    const harness = reference((checkpoints) => view(checkpoints, { releaseLease: undefined }));
    expect(failedOf(await runConformance(harness, { rules: ['CLAIM'] }))).toEqual(['CLAIM-02']);
  });

  it('of a value that is none is refused', async () => {
    const capabilities = { fencing: 'perfect', graceMs: -1 } as unknown as StoreCapabilities;
    const harness = reference((checkpoints) => view(checkpoints, { capabilities }));
    expect(failedOf(await runConformance(harness, { rules: ['CLAIM-01'] }))).toEqual(['CLAIM-01']);
  });

  it('of no death proof selects the rule that the lease stays', async () => {
    const harness = referenceHarness({ capabilities: { deathProof: 'none' } });
    expect(failedOf(await runConformance(harness, { rules: ['LEASE'] }))).toEqual(['LEASE-20:no-proof']);
  });

  it('of a limit selects the rules about it', async () => {
    const harness = referenceHarness({ capabilities: { limits: { maxCheckpointBytes: 4_096 } } });
    expect(failedOf(await runConformance(harness, { rules: ['LIMITS'], tier: 1 }))).toEqual(['LIMITS-01']);
  });
});

/** The same object with some fields replaced. */
function view(checkpoints: CheckpointStore, fields: Record<string, unknown>): CheckpointStore {
  return new Proxy(checkpoints, {
    get: (target, name) => {
      if (name in fields) return fields[name as string];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    has: (target, name) => (name in fields ? fields[name as string] !== undefined : name in target),
  });
}
