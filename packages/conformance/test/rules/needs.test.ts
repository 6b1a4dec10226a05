import { type ConformanceHarness, type Method, probe, RULES, runRule } from '@lousho/conformance';
import { referenceHarness } from '@lousho/conformance/reference';
import type { AgentStore } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';

const found = await probe(referenceHarness());
/** What runs on the reference: it claims what the rule needs. */
const own = RULES.filter(
  ({ id, needs, tier }) =>
    tier === 0 &&
    // It is about the methods that a claim brings along.
    id !== 'CLAIM-02' &&
    (needs.seams ?? []).every((seam) => found.seams.has(seam)) &&
    (['fencing', 'reads', 'reach', 'survives', 'clock', 'deathProof'] as const).every(
      (name) => (needs[name] as readonly string[] | undefined)?.includes(found.claims[name]) ?? true,
    ) &&
    needs.grace !== 'some' &&
    needs.limits === undefined,
);

describe('a rule needs no method that it does not name', () => {
  it.each(own.map((rule) => [rule.id, rule] as const))('%s', async (_, rule) => {
    const harness = having(rule.needs.methods ?? []);
    const outcome = await runRule(rule, { harness, claims: found.claims, seed: 1, timeLimitMs: 20_000 });
    expect(outcome).toMatchObject({ kind: 'passed' });
  });
});

/** The reference store with these methods and no other. */
function having(methods: readonly Method[]): ConformanceHarness {
  const harness = referenceHarness();
  return {
    ...harness,
    createStorage: async (options) => {
      const storage = await harness.createStorage(options);
      return { ...storage, open: async (options) => only(await storage.open(options), methods) };
    },
  };
}

function only(store: AgentStore, methods: readonly Method[]): AgentStore {
  const stripped: Record<string, unknown> = {};
  for (const part of ['checkpoints', 'approvals', 'sessions'] as const) {
    const names = methods.flatMap((method) =>
      method.startsWith(`${part}.`) ? [method.slice(part.length + 1)] : [],
    );
    const target = store[part] as unknown as Record<string, unknown> | undefined;
    if (!target || (names.length === 0 && part !== 'checkpoints')) continue;
    const always = part === 'checkpoints' ? ['save', 'load', 'delete', 'capabilities'] : [];
    stripped[part] = Object.fromEntries(
      [...new Set([...always, ...names])].map((name) => {
        const value = target[name];
        return [name, typeof value === 'function' ? value.bind(target) : value];
      }),
    );
  }
  for (const name of ['prune', 'close'] as const) {
    const value: unknown = Reflect.get(store, name);
    if (methods.includes(name) && typeof value === 'function') stripped[name] = value.bind(store);
  }
  return stripped as AgentStore;
}
