import { markOwnerEnded } from '@lousho/core/contract';
import { expect, test } from 'vitest';
import { checkpoint } from './support/checkpoint.js';
import { openStore } from './support/open-store.js';
import { temporaryDatabase } from './support/temporary-folder.js';
import { virtualClock } from './support/virtual-clock.js';

test('a lease is taken over when its time and the grace are over, not a millisecond earlier', async () => {
  const clock = virtualClock();
  const { checkpoints } = openStore(temporaryDatabase(), { clock, graceMs: 30_000 });
  expect(await checkpoints.acquireLease('refund-42', 'worker-a', 30_000)).toEqual({ epoch: 1 });
  clock.advance(59_999);
  expect(await checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toBe(false);
  clock.advance(1);
  expect(await checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toEqual({ epoch: 2 });
});

test('a holder past its expiry that nobody replaced still saves and renews', async () => {
  const clock = virtualClock();
  const { checkpoints } = openStore(temporaryDatabase(), { clock });
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  clock.advance(3_600_000);
  expect(await checkpoints.saveIfLeased('refund-42', checkpoint(), 'worker-a')).toBe(true);
  expect(await checkpoints.renewLease('refund-42', 'worker-a', 30_000)).toBe(true);
  expect(await checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toBe(false);
});

test('the lease of an owner that is marked as ended is taken at once', async () => {
  const { checkpoints } = openStore(temporaryDatabase(), { clock: virtualClock() });
  await checkpoints.acquireLease('refund-42', 'worker-ended', 30_000);
  markOwnerEnded('worker-ended');
  expect(await checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toEqual({ epoch: 2 });
  expect(await checkpoints.saveIfLeased('refund-42', checkpoint(), 'worker-ended')).toBe(false);
});

test('acquiring again keeps the epoch; every change of hands gets a new one, for all ids from one counter', async () => {
  const { checkpoints } = openStore(temporaryDatabase());
  expect(await checkpoints.acquireLease('refund-42', 'worker-a', 30_000)).toEqual({ epoch: 1 });
  expect(await checkpoints.acquireLease('refund-42', 'worker-a', 30_000)).toEqual({ epoch: 1 });
  expect(await checkpoints.acquireLease('refund-43', 'worker-b', 30_000)).toEqual({ epoch: 2 });
  await checkpoints.releaseLease('refund-42', 'worker-a');
  await checkpoints.delete('refund-43');
  expect(await checkpoints.acquireLease('refund-43', 'worker-b', 30_000)).toEqual({ epoch: 3 });
});

test('a repeated save under the same lease adds nothing; under a new lease it is a save of its own', async () => {
  const { checkpoints } = openStore(temporaryDatabase());
  const first = checkpoint({ revision: 1 });
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  expect(await checkpoints.saveIfLeased('refund-42', first, 'worker-a')).toBe(true);
  expect(await checkpoints.saveIfLeased('refund-42', first, 'worker-a')).toBe(true);
  expect(await checkpoints.history('refund-42')).toHaveLength(1);

  await checkpoints.releaseLease('refund-42', 'worker-a');
  await checkpoints.acquireLease('refund-42', 'worker-b', 30_000);
  expect(await checkpoints.saveIfLeased('refund-42', first, 'worker-b')).toBe(true);
  expect(await checkpoints.history('refund-42')).toHaveLength(2);
});

test('an unfenced save always applies, also a repeated one', async () => {
  const { checkpoints } = openStore(temporaryDatabase());
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  await checkpoints.save('refund-42', checkpoint({ revision: 1 }));
  await checkpoints.save('refund-42', checkpoint({ revision: 1, stepIndex: 5 }));
  expect(await checkpoints.load('refund-42')).toMatchObject({ stepIndex: 5 });
  expect(await checkpoints.history('refund-42')).toHaveLength(2);
});

test('a delete ends the lease, also of an id without a checkpoint', async () => {
  const { checkpoints } = openStore(temporaryDatabase());
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  await checkpoints.delete('refund-42', { keepHistory: true });
  expect(await checkpoints.saveIfLeased('refund-42', checkpoint(), 'worker-a')).toBe(false);
  expect(await checkpoints.renewLease('refund-42', 'worker-a', 30_000)).toBe(false);
});

test('the holder is shown with its process and the instant from which the id can be taken', async () => {
  const clock = virtualClock(Date.parse('2030-01-01T00:00:00.000Z'));
  const { checkpoints } = openStore(temporaryDatabase(), { clock, graceMs: 30_000 });
  expect(await checkpoints.readLease('refund-42')).toBeNull();
  await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
  clock.advance(10_000);
  await checkpoints.renewLease('refund-42', 'worker-a', 30_000);
  expect(await checkpoints.readLease('refund-42')).toEqual({
    owner: 'worker-a',
    epoch: 1,
    host: expect.any(String),
    pid: process.pid,
    since: '2030-01-01T00:00:00.000Z',
    takeableAt: '2030-01-01T00:01:10.000Z',
  });
});

test('owners that differ only in a lone surrogate are two owners', async () => {
  const { checkpoints } = openStore(temporaryDatabase());
  await checkpoints.acquireLease('refund-42', 'worker-\ud800', 30_000);
  expect(await checkpoints.acquireLease('refund-42', 'worker-\ud801', 30_000)).toBe(false);
  expect(await checkpoints.saveIfLeased('refund-42', checkpoint(), 'worker-\ufffd')).toBe(false);
  expect((await checkpoints.readLease('refund-42'))?.owner).toBe('worker-\ud800');
});
