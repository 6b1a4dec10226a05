import { expect, test } from 'vitest';
import { step } from './support/checkpoint.js';
import { openStore, privateServer } from './support/servers.js';
import { settled } from './support/settled.js';

const CYCLES = process.env.DEEP === '1' ? 40 : 5;
const RUNS = 8;

test('of saves under way while the server is killed and started again, none acknowledged is lost and none is double', async () => {
  const server = await privateServer({ appendfsync: 'always' });
  const store = openStore(server.url, { historyLimit: 100_000 });
  const { checkpoints } = store;
  let isOver = false;
  const acknowledged = new Map<string, number>();
  const failures: unknown[] = [];
  const runs = Array.from({ length: RUNS }, async (_, at) => {
    const [sessionId, owner] = [`job-${at}`, `worker-${at}`];
    await checkpoints.acquireLease(sessionId, owner, 600_000);
    for (let revision = 1; !isOver; ) {
      const options = { unchangedMessages: revision - 1 };
      const save = await settled(
        checkpoints.saveIfLeased(sessionId, step(revision, sessionId), owner, options),
      );
      if (save.code === undefined) {
        if (save.answer !== true) failures.push(save);
        acknowledged.set(sessionId, revision);
        revision += 1;
      } else {
        failures.push(save);
        isOver = true;
      }
    }
  });
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const before = [...acknowledged.values()].reduce((sum, revision) => sum + revision, 0);
    await expect
      .poll(() => [...acknowledged.values()].reduce((sum, revision) => sum + revision, 0), {
        interval: 5,
        timeout: 30_000,
      })
      .toBeGreaterThan(before + 3 * RUNS + cycle);
    await server.kill();
    await server.restart();
  }
  isOver = true;
  await Promise.all(runs);
  expect(store.checkpoints.capabilities.survives).toBe('power-loss');
  for (const [sessionId, revision] of acknowledged) {
    const history = await checkpoints.history(sessionId);
    const revisions = history.map((entry) => entry.checkpoint.revision ?? 0).reverse();
    expect(revisions).toEqual(revisions.map((_, index) => index + 1));
    expect(revisions.length).toBeGreaterThanOrEqual(revision);
    expect(revisions.length).toBeLessThanOrEqual(revision + 1);
    expect((await checkpoints.load(sessionId))?.messages).toHaveLength(revisions.length);
  }
  // With a client of its own a save is sent again until it is answered.
  expect(failures).toEqual([]);
}, 300_000);
