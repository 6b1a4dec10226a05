import { encode, type Message } from '@lousho/core';
import {
  type CrashPoint,
  CrashWorld,
  deliverTurns,
  EffectLedger,
  exploreCrashes,
  transcriptFaults,
} from '@lousho/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStorage, scenarioOf, script } from './support/random-scenario.js';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const numRuns = process.env.DEEP === '1' ? 400 : 25;

describe(`random scripts (SEED=${seed})`, { timeout: 240_000 }, () => {
  it('a crash before and after every operation, and a second process: 0 findings, nothing repeated', async () => {
    let points = 0;
    await fc.assert(
      fc.asyncProperty(script, async (one) => {
        const report = await exploreCrashes(scenarioOf(one));
        points += report.crashPoints;
        expect(report.findings).toEqual([]);
        expect([report.repeatedModelCalls, report.repeatedTools]).toEqual([0, 0]);
        expect(transcriptFaults(report.messages)).toEqual([]);
      }),
      { seed, numRuns },
    );
    expect(points).toBeGreaterThan(200);
  });

  it('a row of crashes at random operations, one process after another: the same end, nothing repeated', async () => {
    const crash = fc.record({
      n: fc.integer({ min: 1, max: 30 }),
      side: fc.constantFrom('before' as const, 'after' as const),
    });
    await fc.assert(
      fc.asyncProperty(script, fc.array(crash, { maxLength: 6 }), async (one, crashes) => {
        const scenario = scenarioOf(one);
        const undisturbed = await livesOf(scenario, []);
        const disturbed = await livesOf(scenario, crashes);
        expect(encode(disturbed.messages)).toBe(encode(undisturbed.messages));
        expect([disturbed.ledger.repeatedModelCalls, disturbed.ledger.repeatedTools]).toEqual([0, 0]);
        expect(disturbed.ledger.invalidRequests).toEqual([]);
      }),
      { seed, numRuns: numRuns * 8 },
    );
  });
});

async function livesOf(
  scenario: ReturnType<typeof scenarioOf>,
  crashes: readonly CrashPoint[],
): Promise<{ messages: readonly Message[]; ledger: EffectLedger }> {
  const storage = await memoryStorage();
  const ledger = new EffectLedger();
  const store = await storage.openStore();
  if (!store.checkpoints) throw new Error('the memory store has checkpoints');
  for (const crash of [...crashes, undefined]) {
    const world = new CrashWorld(ledger, crash);
    const agent = scenario.createAgent(world, world.store(store));
    const life = deliverTurns(agent, store.checkpoints, scenario.sessionId, scenario.turns);
    await life.catch((error: unknown) => {
      if (!world.hasCrashed) throw error;
    });
  }
  const stored = await store.checkpoints.load(scenario.sessionId);
  return { messages: stored?.messages ?? [], ledger };
}
