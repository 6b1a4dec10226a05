import { failedSeeds, referenceWorld, simulate, simulateSchedule } from '@lousho/conformance/simulation';
import { describe, expect, it } from 'vitest';
import { failuresOf, isDeep } from './support.js';

const LIMIT_MS = isDeep ? 900_000 : 120_000;

describe('the executor over the reference store, simulated', () => {
  const world = referenceWorld();

  it('keeps its promises in every schedule, those that once failed first', {
    timeout: LIMIT_MS,
  }, async () => {
    const simulation = await simulate(world, {
      schedules: isDeep ? 20_000 : 300,
      first: failedSeeds(world.name),
    });
    expect(failuresOf(simulation.failures)).toEqual([]);
    // Otherwise nothing was put to the test.
    expect(simulation.crashes).toBeGreaterThan(simulation.schedules / 2);
    expect(simulation.stalls).toBeGreaterThan(simulation.schedules);
    expect(simulation.virtualMs / simulation.schedules).toBeGreaterThan(60_000);
  });

  it('goes the same way for the same seed', async () => {
    for (let seed = 1; seed <= (isDeep ? 200 : 20); seed++) {
      const [first, second] = [await simulateSchedule(world, seed), await simulateSchedule(world, seed)];
      expect([seed, second.hash, second.events]).toEqual([seed, first.hash, first.events]);
    }
  });

  it('goes another way for another seed', async () => {
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) hashes.add((await simulateSchedule(world, seed)).hash);
    expect(hashes.size).toBe(20);
  });
});
