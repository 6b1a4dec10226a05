import { failedSeeds, simulate, simulateSchedule } from '@lousho/conformance/simulation';
import { describe, expect, it } from 'vitest';
import { WORLDS } from '../../dist/conformance/simulation/worlds.js';

const isDeep = process.env.DEEP === '1';
const LIMIT_MS = isDeep ? 900_000 : 120_000;
const STORES = [...WORLDS.values()].filter(({ name }) => name !== 'reference');

describe.each(STORES)('the executor over the $name store, simulated', (world) => {
  it('keeps its promises in every schedule, those that once failed first', {
    timeout: LIMIT_MS,
  }, async () => {
    const { failures, schedules, crashes, stalls } = await simulate(world, {
      schedules: isDeep ? 20_000 : 150,
      first: failedSeeds(world.name),
    });
    expect(failures.map(({ seed, violations }) => [seed, ...violations])).toEqual([]);
    expect(crashes).toBeGreaterThan(schedules / 2);
    expect(stalls).toBeGreaterThan(schedules);
  });

  it('goes the same way for the same seed', async () => {
    for (let seed = 1; seed <= (isDeep ? 200 : 20); seed++) {
      const [first, second] = [await simulateSchedule(world, seed), await simulateSchedule(world, seed)];
      expect([seed, second.hash, second.events]).toEqual([seed, first.hash, first.events]);
    }
  });
});
