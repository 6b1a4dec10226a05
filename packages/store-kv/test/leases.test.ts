import { describe, expect, it } from 'vitest';
import { checkpoint, world } from './support/fixtures.js';

const ID = 'refund-42';
const TTL = 30_000;
const GRACE = 30_000;

describe('leases', () => {
  it('A54 a lease of 30 s works: its expiry is in the value, never a ttl below 60 s', async () => {
    const { clock, open } = world();
    const [a, b] = [open().checkpoints, open().checkpoints];
    const startedAt = clock.now();
    await expect(a.acquireLease(ID, 'worker-a', TTL)).resolves.toBeTruthy();
    clock.advance(startedAt + TTL + GRACE - 1 - clock.now());
    expect(await b.acquireLease(ID, 'worker-b', TTL)).toBe(false);
    clock.advance(1);
    expect(await b.acquireLease(ID, 'worker-b', TTL)).toBeTruthy();
    expect(await a.renewLease(ID, 'worker-a', TTL)).toBe(false);
    expect(await a.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a')).toBe(false);
  });

  it.each([2, 3, 8])(
    'D14 of %i isolates that ask at once at one location exactly one is granted',
    async (count) => {
      const { open } = world();
      const answers = await Promise.all(
        Array.from({ length: count }, (_, n) => open().checkpoints.acquireLease(ID, `worker-${n}`, TTL)),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
    },
  );

  it.each([2, 8])('D14 holds for %i isolates under one write per second and key', async (count) => {
    const { kv, open } = world({ isRateLimited: true });
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => open().checkpoints.acquireLease(ID, `worker-${n}`, TTL)),
    );
    expect(kv.refusals).toBeGreaterThan(0);
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('D14 stores over one binding are granted one at a time, without a race', async () => {
    const { kv, clock } = world();
    const binding = kv.at('here');
    const { KVCheckpointStore } = await import('@lousho/store-kv');
    const stores = [1, 2, 3, 4].map(() => new KVCheckpointStore(binding, { clock, sleep: clock.sleep }));
    const answers = await Promise.all(stores.map((store, n) => store.acquireLease(ID, `worker-${n}`, TTL)));
    expect(answers.map(Boolean)).toEqual([true, false, false, false]);
  });

  it('a late renewal that meets a take-over gives way', async () => {
    const { clock, open } = world();
    const [a, b] = [open().checkpoints, open().checkpoints];
    await a.acquireLease(ID, 'worker-a', TTL);
    clock.advance(TTL + GRACE);
    const [renewed, taken] = await Promise.all([
      a.renewLease(ID, 'worker-a', TTL),
      b.acquireLease(ID, 'worker-b', TTL),
    ]);
    expect([renewed, Boolean(taken)].filter(Boolean)).toHaveLength(1);
    expect((await a.readLease(ID))?.owner).toBe(renewed ? 'worker-a' : 'worker-b');
  });

  it('A57 across locations a mutex is not guaranteed: how often two hold one id is measured, not asserted', async () => {
    for (const ttlMs of [30_000, 120_000]) {
      const overlaps: number[] = [];
      for (let delayMs = 0; delayMs <= 120_000; delayMs += 5_000) {
        const { open, clock } = world({ lagMs: 60_000 });
        const [a, b] = [open({ location: 'ams' }).checkpoints, open({ location: 'sfo' }).checkpoints];
        expect(await a.acquireLease(ID, 'worker-a', ttlMs)).toBeTruthy();
        for (let passedMs = 0; passedMs < delayMs; passedMs += 5_000) {
          clock.advance(5_000);
          if (passedMs % 10_000 === 5_000) expect(await a.renewLease(ID, 'worker-a', ttlMs)).toBe(true);
        }
        if (await b.acquireLease(ID, 'worker-b', ttlMs)) overlaps.push(delayMs / 1_000);
      }
      console.log(
        `KV, two locations, lag 60 s, ttl ${ttlMs / 1_000} s: a live holder's lease was taken in ${overlaps.length} of 25 starts (0 to 120 s later; the last at ${overlaps.at(-1)} s); not guaranteed`,
      );
    }
    expect(world().open().checkpoints.capabilities).toMatchObject({
      fencing: 'best-effort',
      reads: 'eventual',
    });
  });
});
