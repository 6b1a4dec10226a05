import { describe, expect, it } from 'vitest';
import { checkpoint, user } from '../harness/builders.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';

const TTL = 30_000;
const ID = 'refund-42';

function graceOf({ checkpoints }: FullStore): number {
  return checkpoints.capabilities.graceMs ?? 0;
}

/** Everything that a refused save must leave as it was. */
async function everything({ checkpoints }: FullStore) {
  return {
    latest: await checkpoints.load(ID),
    history: await checkpoints.history(ID),
    list: await checkpoints.list(),
    pending: await checkpoints.listPending(),
    lease: await checkpoints.readLease(ID),
  };
}

describe('FENCE', () => {
  onFullStores((newStorage) => {
    it('FENCE-01 the holder’s save is stored', async () => {
      const { checkpoints } = newStorage().open();
      expect(checkpoints.capabilities.fencing).toBe('atomic');
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      expect(await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a')).toBe(true);
      expect(await checkpoints.load(ID)).toEqual(checkpoint({ revision: 1 }));
      expect(await checkpoints.history(ID)).toHaveLength(1);
    });

    it('FENCE-02 a save by anybody else changes nothing, also through another client', async () => {
      const { open } = newStorage();
      const [store, other] = [open(), open()];
      const stray = checkpoint({ revision: 2, stepIndex: 9, status: 'finished', messages: [user('stray')] });
      expect(await store.checkpoints.saveIfLeased(ID, stray, 'worker-b')).toBe(false);
      expect(await store.checkpoints.load(ID)).toBeNull();
      expect(await store.checkpoints.list()).toEqual([]);
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      const before = await everything(store);
      expect(await store.checkpoints.saveIfLeased(ID, stray, 'worker-b')).toBe(false);
      expect(await other.checkpoints.saveIfLeased(ID, stray, 'worker-b')).toBe(false);
      expect(await everything(store)).toEqual(before);
      expect(await everything(other)).toEqual(before);
    });

    it('FENCE-03 a holder past its expiry that nobody replaced still saves', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      clock.advance(TTL + graceOf(store) + 60_000);
      expect(await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a')).toBe(true);
    });

    it.each([1, 2, 3, 4, undefined])(
      'FENCE-04 a replaced holder never saves again, at revision %s',
      async (revision) => {
        const { clock, open } = newStorage();
        const [store, other] = [open(), open()];
        await store.checkpoints.acquireLease(ID, 'zz-worker-a', TTL);
        for (const r of [1, 2])
          await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: r }), 'zz-worker-a');
        clock.advance(TTL + graceOf(store));
        await other.checkpoints.acquireLease(ID, 'worker-b', TTL);
        expect(await other.checkpoints.saveIfLeased(ID, checkpoint({ revision: 3 }), 'worker-b')).toBe(true);
        const before = await everything(other);
        const late = checkpoint({ ...(revision && { revision }), stepIndex: 9, messages: [user('late')] });
        expect(await store.checkpoints.saveIfLeased(ID, late, 'zz-worker-a', { unchangedMessages: 1 })).toBe(
          false,
        );
        expect(await everything(store)).toEqual(before);
      },
    );

    it('FENCE-04 a holder replaced by one that has saved nothing yet does not save either', async () => {
      const { clock, open } = newStorage();
      const [store, other] = [open(), open()];
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      clock.advance(TTL + graceOf(store));
      await other.checkpoints.acquireLease(ID, 'worker-b', TTL);
      expect(await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a')).toBe(false);
      await other.checkpoints.releaseLease(ID, 'worker-b');
      expect(await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a')).toBe(false);
      expect((await store.checkpoints.load(ID))?.revision).toBe(1);
    });

    it('FENCE-05 after a release the former holder does not save', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      await checkpoints.releaseLease(ID, 'worker-a');
      expect(await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a')).toBe(false);
      expect(await checkpoints.load(ID)).toBeNull();
    });

    it.each([false, true])(
      'FENCE-06 a delete fences the holder and stays a delete (keepHistory: %s)',
      async (keepHistory) => {
        const { open } = newStorage();
        const [a, b] = [open().checkpoints, open().checkpoints];
        await a.acquireLease(ID, 'worker-a', TTL);
        await a.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
        await b.delete(ID, { keepHistory });
        for (const revision of [1, 2]) {
          const late = checkpoint({ revision, messages: [user('Refund order 42'), user('late')] });
          expect(await a.saveIfLeased(ID, late, 'worker-a', { unchangedMessages: 1 })).toBe(false);
        }
        expect(await b.load(ID)).toBeNull();
        expect(await b.list()).toEqual([]);
        expect(await b.listPending()).toEqual([]);
        expect(await a.history(ID)).toHaveLength(keepHistory ? 1 : 0);
      },
    );

    it('FENCE-07 a repeated save is true, stores nothing and adds no entry', async () => {
      const store = newStorage().open();
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      const second = checkpoint({ revision: 2, messages: [user('Refund order 42'), user('done')] });
      await store.checkpoints.saveIfLeased(ID, second, 'worker-a', { unchangedMessages: 1 });
      const before = await everything(store);
      expect(await store.checkpoints.saveIfLeased(ID, second, 'worker-a', { unchangedMessages: 1 })).toBe(
        true,
      );
      expect(await store.checkpoints.saveIfLeased(ID, second, 'worker-a')).toBe(true);
      expect(await everything(store)).toEqual(before);
    });

    it('FENCE-07 a save is recognised as repeated after a renewal too', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      clock.advance(1_000);
      await store.checkpoints.renewLease(ID, 'worker-a', TTL);
      expect(await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a')).toBe(true);
      expect(await store.checkpoints.history(ID)).toHaveLength(1);
    });

    it('FENCE-08 a save that arrives again after later ones leaves the later one', async () => {
      const store = newStorage().open();
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      for (const revision of [1, 2, 3]) {
        await store.checkpoints.saveIfLeased(ID, checkpoint({ revision, stepIndex: revision }), 'worker-a');
      }
      const before = await everything(store);
      for (const revision of [1, 2]) {
        const again = checkpoint({ revision, stepIndex: revision });
        expect(await store.checkpoints.saveIfLeased(ID, again, 'worker-a')).toBe(true);
      }
      expect(await everything(store)).toEqual(before);
    });

    it('FENCE-09 a revision that another owner stored is no repetition', async () => {
      const { open } = newStorage();
      const [a, b] = [open().checkpoints, open().checkpoints];
      await a.acquireLease(ID, 'worker-a', TTL);
      await a.saveIfLeased(ID, checkpoint({ revision: 1, stepIndex: 1 }), 'worker-a');
      await a.releaseLease(ID, 'worker-a');
      await b.acquireLease(ID, 'worker-b', TTL);
      const own = checkpoint({ revision: 1, stepIndex: 2, messages: [user('b')] });
      expect(await b.saveIfLeased(ID, own, 'worker-b')).toBe(true);
      expect(await b.load(ID)).toEqual(own);
      expect((await a.history(ID)).map(({ step }) => step)).toEqual([2, 1]);
    });

    it('FENCE-09 a revision that a plain save stored is no repetition', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.save(ID, checkpoint({ revision: 1, stepIndex: 1 }));
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      expect(await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1, stepIndex: 2 }), 'worker-a')).toBe(
        true,
      );
      expect((await checkpoints.load(ID))?.stepIndex).toBe(2);
    });

    it('FENCE-10 checkpoints without a revision are all stored', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      for (const stepIndex of [1, 1, 2]) {
        expect(await checkpoints.saveIfLeased(ID, checkpoint({ stepIndex }), 'worker-a')).toBe(true);
      }
      expect((await checkpoints.history(ID)).map(({ step }) => step)).toEqual([2, 1, 1]);
    });

    it('FENCE-11 vouching works in a fenced save, and is disregarded against another revision', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1, messages: [user('a')] }), 'worker-a');
      const second = checkpoint({ revision: 2, messages: [user('a'), user('b')] });
      await checkpoints.saveIfLeased(ID, second, 'worker-a', { unchangedMessages: 1 });
      expect(await checkpoints.load(ID)).toEqual(second);
      const jumped = checkpoint({ revision: 5, messages: [user('x'), user('y'), user('z')] });
      await checkpoints.saveIfLeased(ID, jumped, 'worker-a', { unchangedMessages: 2 });
      expect(await checkpoints.load(ID)).toEqual(jumped);
    });

    it('FENCE-12 of two owners’ saves in flight at a take-over, only the holder’s are there', async () => {
      const { clock, open } = newStorage();
      const [store, other] = [open(), open()];
      await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
      await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      clock.advance(TTL + graceOf(store));
      const [late, lease] = await Promise.all([
        store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2, metadata: { by: 'a' } }), 'worker-a'),
        other.checkpoints.acquireLease(ID, 'worker-b', TTL),
      ]);
      expect(lease).toBeTruthy();
      expect((await other.checkpoints.load(ID))?.revision).toBe(late ? 2 : 1);
      expect(await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 3 }), 'worker-a')).toBe(false);
    });
  });
});
