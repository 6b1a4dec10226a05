import { expect, test } from 'vitest';
import { startChild } from './support/child.js';
import { connect } from './support/database.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';

test('acknowledged saves survive SIGKILL, again and again, and the next process takes the dead one over at once', async () => {
  const path = temporaryDatabase();
  let acknowledged = 0;
  for (let round = 1; round <= 6; round++) {
    const child = startChild('save-loop.mjs', [path, 'refund-42', `worker-${round}`]);
    expect(await child.line()).toBe(`epoch ${round}`);
    // A different number of saves each time, so that the kill meets other moments of the log.
    for (let seen = 0; seen < 7 * round; seen++) acknowledged = Number(await child.line());
    const [rest] = await Promise.all([child.rest(), child.kill()]);
    acknowledged = Number(rest.at(-1) ?? acknowledged);

    const store = openStore(path);
    const stored = await store.checkpoints.load('refund-42');
    // A save may have been committed whose acknowledgement was never printed.
    expect([acknowledged, acknowledged + 1]).toContain(stored?.revision);
    expect(stored?.messages.map(({ content }) => content)).toEqual(
      Array.from({ length: stored?.revision ?? 0 }, (_, at) => `message of revision ${at + 1}`),
    );
    const revisions = (await store.checkpoints.history('refund-42')).map(
      (entry) => entry.checkpoint.revision,
    );
    const newest = stored?.revision ?? 0;
    expect(revisions).toEqual(revisions.map((_, at) => newest - at));
    await store.close();
  }
  expect(connect(path).pragma('integrity_check', { simple: true })).toBe('ok');
});

test('the lease of a living process is not taken over, that of a killed one at once', async () => {
  const path = temporaryDatabase();
  const store = openStore(path);
  const child = startChild('save-loop.mjs', [path, 'refund-42', 'worker-a']);
  expect(await child.line()).toBe('epoch 1');
  expect(await store.checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toBe(false);
  expect(await store.checkpoints.readLease('refund-42')).toMatchObject({
    owner: 'worker-a',
    pid: child.process.pid,
  });
  await child.kill();
  expect(await store.checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toEqual({ epoch: 2 });
});
