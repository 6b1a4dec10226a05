import { type Lease, markOwnerEnded } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { checkpoint } from '../harness/builders.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';

const TTL = 30_000;
const ID = 'refund-42';

function graceOf({ checkpoints }: FullStore): number {
  return checkpoints.capabilities.graceMs ?? 0;
}

function epochOf(answer: boolean | Lease): number {
  if (typeof answer === 'boolean') throw new Error(`expected a lease, got ${answer}`);
  return answer.epoch;
}

describe('LEASE', () => {
  onFullStores((newStorage) => {
    it('LEASE-01 a free id is granted with an epoch', async () => {
      const { checkpoints } = newStorage().open();
      expect(epochOf(await checkpoints.acquireLease(ID, 'worker-a', TTL))).toBeGreaterThan(0);
    });

    it('LEASE-02 another owner is refused, through any client, and the holder notices nothing', async () => {
      const { open } = newStorage();
      const [a, b] = [open().checkpoints, open().checkpoints];
      const epoch = epochOf(await a.acquireLease(ID, 'worker-a', TTL));
      expect(await a.acquireLease(ID, 'worker-b', TTL)).toBe(false);
      expect(await b.acquireLease(ID, 'worker-b', TTL)).toBe(false);
      expect(await a.acquireLease(ID, 'worker-a', TTL)).toEqual({ epoch });
    });

    it('LEASE-03 LEASE-04 the holder renews by acquireLease and keeps its epoch', async () => {
      const { clock, open } = newStorage();
      const store = open();
      const epoch = epochOf(await store.checkpoints.acquireLease(ID, 'worker-a', TTL));
      clock.advance(TTL - 1);
      expect(await store.checkpoints.acquireLease(ID, 'worker-a', TTL)).toEqual({ epoch });
      clock.advance(TTL + graceOf(store) - 1);
      expect(await store.checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
    });

    it('LEASE-04 a renewed lease keeps its epoch', async () => {
      const { clock, open } = newStorage();
      const { checkpoints } = open();
      const epoch = epochOf(await checkpoints.acquireLease(ID, 'worker-a', TTL));
      for (let beat = 0; beat < 5; beat++) {
        clock.advance(10_000);
        expect(await checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(true);
      }
      expect(await checkpoints.acquireLease(ID, 'worker-a', TTL)).toEqual({ epoch });
      expect((await checkpoints.readLease(ID))?.epoch).toBe(epoch);
    });

    it('LEASE-04 a lease that expired and was not replaced keeps its epoch when its holder acquires it', async () => {
      const { clock, open } = newStorage();
      const store = open();
      const epoch = epochOf(await store.checkpoints.acquireLease(ID, 'worker-a', TTL));
      clock.advance(TTL + graceOf(store) + 1);
      expect(await store.checkpoints.acquireLease(ID, 'worker-a', TTL)).toEqual({ epoch });
    });

    it('LEASE-05 the epoch grows each time the lease changes hands', async () => {
      const { clock, open } = newStorage();
      const [store, other] = [open(), open()];
      const take = async (owner: string, { checkpoints } = store) =>
        epochOf(await checkpoints.acquireLease(ID, owner, TTL));
      const epochs = [await take('worker-a')];
      await store.checkpoints.releaseLease(ID, 'worker-a');
      epochs.push(await take('worker-b', other));
      clock.advance(TTL + graceOf(store));
      epochs.push(await take('worker-c'));
      await store.checkpoints.delete(ID);
      epochs.push(await take('worker-d', other));
      await store.checkpoints.save(ID, checkpoint());
      await store.checkpoints.delete(ID, { keepHistory: true });
      epochs.push(await take('worker-e'));
      await store.checkpoints.releaseLease(ID, 'worker-e');
      epochs.push(await take('worker-e'));
      expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
    });

    it.each([
      [-1, false],
      [0, true],
      [1, true],
    ])('LEASE-06 at expiry plus grace %i ms another owner gets it: %s', async (offset, isGranted) => {
      const { clock, open } = newStorage();
      const [store, other] = [open(), open()];
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      clock.advance(TTL + graceOf(store) + offset);
      expect((await other.checkpoints.acquireLease(ID, 'worker-b', TTL)) !== false).toBe(isGranted);
      expect(await store.checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(!isGranted);
    });

    it.each([-1, 0, 1])(
      'LEASE-06 at expiry %i ms the grace decides whether another owner gets it',
      async (offset) => {
        const { clock, open } = newStorage();
        const store = open();
        await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
        clock.advance(TTL + offset);
        const isGranted = (await store.checkpoints.acquireLease(ID, 'worker-b', TTL)) !== false;
        expect(isGranted).toBe(offset >= graceOf(store));
      },
    );

    it.each([
      [-1, false],
      [0, true],
    ])(
      'LEASE-07 a renewal counts from its own instant: at renewal + ttl + grace %i ms: %s',
      async (offset, isGranted) => {
        const { clock, open } = newStorage();
        const store = open();
        await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
        clock.advance(10_000);
        expect(await store.checkpoints.renewLease(ID, 'worker-a', 20_000)).toBe(true);
        clock.advance(20_000 + graceOf(store) + offset);
        expect((await store.checkpoints.acquireLease(ID, 'worker-b', TTL)) !== false).toBe(isGranted);
      },
    );

    it('LEASE-08 renewing an id that is free, another’s, released or deleted is false and takes nothing', async () => {
      const { checkpoints } = newStorage().open();
      expect(await checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(false);
      expect(await checkpoints.acquireLease(ID, 'worker-b', TTL)).toBeTruthy();
      expect(await checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(false);
      await checkpoints.releaseLease(ID, 'worker-b');
      expect(await checkpoints.renewLease(ID, 'worker-b', TTL)).toBe(false);
      await checkpoints.acquireLease(ID, 'worker-b', TTL);
      await checkpoints.delete(ID);
      expect(await checkpoints.renewLease(ID, 'worker-b', TTL)).toBe(false);
      expect(await checkpoints.acquireLease(ID, 'worker-c', TTL)).toBeTruthy();
    });

    it('LEASE-08 a replaced holder’s renewal is false, also after its successor released', async () => {
      const { clock, open } = newStorage();
      const [store, other] = [open(), open()];
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      clock.advance(TTL + graceOf(store));
      await other.checkpoints.acquireLease(ID, 'worker-b', TTL);
      expect(await store.checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(false);
      await other.checkpoints.releaseLease(ID, 'worker-b');
      expect(await store.checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(false);
      expect(await store.checkpoints.readLease(ID)).toBeNull();
    });

    it('LEASE-09 a holder past its expiry that nobody replaced renews, and is live again', async () => {
      const { clock, open } = newStorage();
      const [store, other] = [open(), open()];
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      clock.advance(TTL + graceOf(store) + 60_000);
      expect(await store.checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(true);
      clock.advance(TTL - 1);
      expect(await other.checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
    });

    it('LEASE-10 a release frees the id at once', async () => {
      const { open } = newStorage();
      const [a, b] = [open().checkpoints, open().checkpoints];
      await a.acquireLease(ID, 'worker-a', TTL);
      await a.releaseLease(ID, 'worker-a');
      expect(await b.acquireLease(ID, 'worker-b', TTL)).toBeTruthy();
    });

    it('LEASE-11 a release by anybody else has no effect', async () => {
      const { clock, open } = newStorage();
      const [store, other] = [open(), open()];
      await store.checkpoints.releaseLease('nobody', 'worker-a');
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      await other.checkpoints.releaseLease(ID, 'worker-b');
      expect(await other.checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
      clock.advance(TTL + graceOf(store));
      await other.checkpoints.acquireLease(ID, 'worker-b', TTL);
      await store.checkpoints.releaseLease(ID, 'worker-a');
      expect(await store.checkpoints.acquireLease(ID, 'worker-c', TTL)).toBe(false);
    });

    it.each([false, true])('LEASE-12 a delete ends the lease (keepHistory: %s)', async (keepHistory) => {
      const { open } = newStorage();
      const [a, b] = [open().checkpoints, open().checkpoints];
      await a.acquireLease(ID, 'worker-a', TTL);
      await a.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      await b.delete(ID, { keepHistory });
      expect(await a.renewLease(ID, 'worker-a', TTL)).toBe(false);
      expect(await b.acquireLease(ID, 'worker-b', TTL)).toBeTruthy();
    });

    it('LEASE-12 a delete of an id that is leased and was never saved ends the lease', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      await checkpoints.delete(ID);
      expect(await checkpoints.acquireLease(ID, 'worker-b', TTL)).toBeTruthy();
    });

    it('LEASE-13 of 16 owners that ask at once exactly one is granted, round after round', async () => {
      const { clock, open } = newStorage();
      const clients = [open(), open(), open(), open()];
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all(
          Array.from({ length: 16 }, (_, index) =>
            (clients[index % 4] as FullStore).checkpoints.acquireLease(ID, `worker-${round}-${index}`, TTL),
          ),
        );
        const winners = answers.flatMap((answer, index) => (answer ? [`worker-${round}-${index}`] : []));
        expect(winners).toHaveLength(1);
        expect((await (clients[0] as FullStore).checkpoints.readLease(ID))?.owner).toBe(winners[0]);
        clock.advance(TTL + graceOf(clients[0] as FullStore));
      }
    });

    it('LEASE-14 leases of different ids are independent', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease('a', 'worker-a', TTL);
      expect(await checkpoints.acquireLease('b', 'worker-b', TTL)).toBeTruthy();
      await checkpoints.releaseLease('a', 'worker-a');
      expect(await checkpoints.renewLease('b', 'worker-b', TTL)).toBe(true);
      expect(await checkpoints.renewLease('b', 'worker-a', TTL)).toBe(false);
    });

    it('LEASE-15 renewLeases answers each lease in order', async () => {
      const { clock, open } = newStorage();
      const store = open();
      const { checkpoints } = store;
      for (const id of ['a', 'b', 'c']) await checkpoints.acquireLease(id, `worker-${id}`, TTL);
      await checkpoints.releaseLease('b', 'worker-b');
      clock.advance(TTL - 1);
      const refs = ['c', 'b', 'nobody', 'a'].map((sessionId) => ({
        sessionId,
        owner: `worker-${sessionId}`,
      }));
      expect(await checkpoints.renewLeases([...refs, { sessionId: 'a', owner: 'worker-b' }], TTL)).toEqual([
        true,
        false,
        false,
        true,
        false,
      ]);
      expect(await checkpoints.renewLeases([], TTL)).toEqual([]);
      clock.advance(TTL + graceOf(store) - 1);
      expect(await checkpoints.acquireLease('a', 'worker-x', TTL)).toBe(false);
      expect(await checkpoints.acquireLease('c', 'worker-x', TTL)).toBe(false);
    });

    it('LEASE-16 a lease alone is no checkpoint', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      expect(await checkpoints.load(ID)).toBeNull();
      expect(await checkpoints.list()).toEqual([]);
      expect(await checkpoints.listPending()).toEqual([]);
      expect(await checkpoints.history(ID)).toEqual([]);
    });

    it.each([
      [333.3, 333, false],
      [333.3, 334, true],
      [0.4, 0, false],
      [0.4, 1, true],
    ])(
      'LEASE-17 a ttl of %d ms is rounded up: after %i ms plus grace it is free: %s',
      async (ttlMs, after, isGranted) => {
        const { clock, open } = newStorage();
        const store = open();
        await store.checkpoints.acquireLease(ID, 'worker-a', ttlMs);
        clock.advance(after + graceOf(store));
        expect((await store.checkpoints.acquireLease(ID, 'worker-b', TTL)) !== false).toBe(isGranted);
      },
    );

    it('LEASE-18 readLease names the live holder, and nobody for a free id', async () => {
      const { open } = newStorage();
      const [a, b] = [open().checkpoints, open().checkpoints];
      expect(await a.readLease(ID)).toBeNull();
      await a.acquireLease(ID, 'worker-a', TTL);
      expect((await b.readLease(ID))?.owner).toBe('worker-a');
      await a.releaseLease(ID, 'worker-a');
      expect(await b.readLease(ID)).toBeNull();
      await b.acquireLease(ID, 'worker-b', TTL);
      await b.delete(ID);
      expect(await a.readLease(ID)).toBeNull();
    });

    it('LEASE-19 takeableAt is the instant from which another owner is granted the id', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      clock.advance(7_000);
      await store.checkpoints.renewLease(ID, 'worker-a', TTL);
      const { takeableAt } = (await store.checkpoints.readLease(ID)) ?? {};
      expect(takeableAt).toBe(new Date(clock.now() + TTL + graceOf(store)).toISOString());
    });

    it('LEASE-20 an ended owner’s lease is granted at once where the store can prove deaths', async () => {
      const { open } = newStorage();
      const store = open();
      const owner = `worker-ended-${crypto.randomUUID()}`;
      await store.checkpoints.acquireLease(ID, owner, TTL);
      markOwnerEnded(owner);
      const isGranted = (await store.checkpoints.acquireLease(ID, 'worker-b', TTL)) !== false;
      expect(isGranted).toBe((store.checkpoints.capabilities.deathProof ?? 'none') !== 'none');
    });

    it('LEASE-21 the end of another owner frees nothing', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      markOwnerEnded('worker-a2');
      expect(await checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
    });

    it('LEASE-22 every client judges a lease alike', async () => {
      const { clock, open } = newStorage();
      const clients = [open(), open(), open()] as const;
      const [store] = clients;
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      clock.advance(TTL + graceOf(store) - 1);
      for (const { checkpoints } of clients) {
        expect(await checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
      }
      expect(await clients[2].checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(true);
      clock.advance(TTL + graceOf(store) - 1);
      for (const { checkpoints } of clients) {
        expect(await checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
      }
    });

    it('LEASE-23 saves neither shorten nor end a lease', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      clock.advance(1_000);
      await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2, status: 'finished' }), 'worker-a');
      await store.checkpoints.save(ID, checkpoint({ revision: 3 }));
      clock.advance(TTL + graceOf(store) - 1_001);
      expect(await store.checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
    });
  });
});
