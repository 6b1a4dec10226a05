import { startPostgres } from '@lousho/test-backends';
import { expect, it, onTestFinished } from 'vitest';
import { grown } from './support/checkpoint.js';
import { asker, openStore } from './support/open-store.js';

const CYCLES = process.env.DEEP === '1' ? 10 : 3;
const RUNS = 24;

it(`${CYCLES} kills of the server under load lose no acknowledged save and store none twice`, async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const stores = [openStore(server.url), openStore(server.url)];
  await Promise.all(stores.map((store) => store.ready()));
  let isOver = false;
  const acknowledged = new Map<string, number>();
  const faults: string[] = [];

  const run = async (id: string, index: number) => {
    const { checkpoints } = stores[index % 2] as (typeof stores)[number];
    await checkpoints.acquireLease(id, 'worker', 600_000);
    for (let revision = 1; !isOver; ) {
      try {
        const vouched = { unchangedMessages: revision - 1 };
        if (!(await checkpoints.saveIfLeased(id, grown(id, revision), 'worker', vouched)))
          throw new Error('fenced');
        acknowledged.set(id, revision);
        revision += 1;
      } catch (error) {
        // As the executor does it: an outcome that is unknown is looked up.
        const { code, retryable } = error as { code?: string; retryable?: boolean };
        faults.push(code ?? String(error));
        if (retryable !== true) throw error;
        revision = ((await checkpoints.load(id))?.revision ?? 0) + 1;
      }
    }
  };
  const runs = Array.from({ length: RUNS }, (_, index) => run(`run-${index}`, index));
  const total = () => [...acknowledged.values()].reduce((sum, revision) => sum + revision, 0);
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const before = total();
    // Killed while saves are under way, again and again.
    await expect.poll(total, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before + RUNS * 2);
    await server.kill();
    await server.restart();
  }
  isOver = true;
  await Promise.all(runs);

  const ask = asker(server.url);
  for (let index = 0; index < RUNS; index++) {
    const id = `run-${index}`;
    const loaded = await stores[0]?.checkpoints.load(id);
    expect(loaded?.revision).toBe(acknowledged.get(id));
    expect(loaded).toEqual(grown(id, loaded?.revision ?? 0));
    const kept = (await stores[1]?.checkpoints.history(id)) ?? [];
    const expected = kept.map((_, at) => (loaded?.revision ?? 0) - at);
    expect(kept.map((entry) => entry.checkpoint.revision)).toEqual(expected);
  }
  // Every save is counted once in `seq`, so none was stored twice, also of those that the history has forgotten.
  expect(await ask('SELECT count(*)::int AS twice FROM lousho.checkpoints WHERE seq <> revision')).toEqual([
    { twice: 0 },
  ]);
  expect(faults.filter((code) => code === 'LOUSHO_STORAGE_READ_ONLY')).toEqual([]);
});
