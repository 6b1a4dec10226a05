import { describe, expect, it } from 'vitest';
import { checkpoint, user } from '../harness/builders.js';
import { onCheckpointStores, onFullStores } from '../harness/on-stores.js';
import { refusalOf } from '../harness/refusal-of.js';

describe('CHECKPOINT', () => {
  onCheckpointStores((newStorage) => {
    it('CHECKPOINT-01 an unknown id loads as null', async () => {
      expect(await newStorage().open().checkpoints.load('nobody')).toBeNull();
    });

    it('CHECKPOINT-02 load gives the last accepted save', async () => {
      const { checkpoints } = newStorage().open();
      for (let revision = 1; revision <= 5; revision++) {
        const saved = checkpoint({ revision, stepIndex: revision });
        await checkpoints.save('refund-42', saved);
        expect(await checkpoints.load('refund-42')).toEqual(saved);
      }
    });

    it('CHECKPOINT-03 a save replaces the whole checkpoint', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.save('refund-42', checkpoint({ revision: 1, attempts: 2, businessState: 'old' }));
      await checkpoints.save('refund-42', checkpoint({ revision: 2 }));
      expect(await checkpoints.load('refund-42')).toEqual(checkpoint({ revision: 2 }));
    });

    it('CHECKPOINT-05 after a delete the id loads as null', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.save('refund-42', checkpoint());
      await checkpoints.delete('refund-42');
      expect(await checkpoints.load('refund-42')).toBeNull();
    });

    it('CHECKPOINT-06 deleting an unknown id succeeds, twice', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.delete('nobody');
      await checkpoints.delete('nobody', { keepHistory: true });
      expect(await checkpoints.load('nobody')).toBeNull();
    });

    it.each([false, true])(
      'CHECKPOINT-07 a save after a delete starts anew (keepHistory: %s)',
      async (keepHistory) => {
        const { checkpoints } = newStorage().open();
        for (const revision of [1, 2, 3]) {
          await checkpoints.save(
            'refund-42',
            checkpoint({ revision, messages: [user('a'), user('b'), user('c')] }),
          );
        }
        await checkpoints.delete('refund-42', { keepHistory });
        const anew = checkpoint({ revision: 1, messages: [user('z'), user('b')] });
        await checkpoints.save('refund-42', anew);
        expect(await checkpoints.load('refund-42')).toEqual(anew);
        const next = checkpoint({ revision: 2, messages: [user('z'), user('b'), user('d')] });
        await checkpoints.save('refund-42', next, { unchangedMessages: 2 });
        expect(await checkpoints.load('refund-42')).toEqual(next);
      },
    );

    it('CHECKPOINT-12 a checkpoint without messages is one', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.save('refund-42', checkpoint({ messages: [] }));
      expect(await checkpoints.load('refund-42')).toEqual(checkpoint({ messages: [] }));
    });

    it('CHECKPOINT-13 saves of 50 ids at the same time are all stored', async () => {
      const { checkpoints } = newStorage().open();
      const ids = Array.from({ length: 50 }, (_, index) => `run-${index}`);
      await Promise.all(
        ids.map((id) => checkpoints.save(id, checkpoint({ sessionId: id, businessState: id }))),
      );
      const states = await Promise.all(ids.map(async (id) => (await checkpoints.load(id))?.businessState));
      expect(states).toEqual(ids);
    });

    it('CHECKPOINT-14 an acknowledged save is seen by another client', async () => {
      const storage = newStorage();
      const [a, b] = [storage.open(), storage.open()];
      expect(a.checkpoints.capabilities.reads).toBe('latest');
      for (const revision of [1, 2, 3]) {
        const [writer, reader] = revision % 2 ? [a, b] : [b, a];
        await writer.checkpoints.save('refund-42', checkpoint({ revision }));
        expect((await reader.checkpoints.load('refund-42'))?.revision).toBe(revision);
      }
      await a.checkpoints.delete('refund-42');
      expect(await b.checkpoints.load('refund-42')).toBeNull();
    });

    it('CHECKPOINT-15 a refused save leaves everything as it was', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.save('refund-42', checkpoint({ revision: 1 }));
      const before = [
        await checkpoints.load('refund-42'),
        await checkpoints.history('refund-42'),
        await checkpoints.list(),
      ];
      const bad = checkpoint({
        revision: 2,
        status: 'finished',
        messages: [user('fine'), { ...user('bad'), metadata: { n: 1n } }],
      });
      expect(await refusalOf(() => checkpoints.save('refund-42', bad))).toBe('LOUSHO_VALUE_INVALID');
      expect([
        await checkpoints.load('refund-42'),
        await checkpoints.history('refund-42'),
        await checkpoints.list(),
      ]).toEqual(before);
    });
  });

  onFullStores((newStorage) => {
    it('CHECKPOINT-04 a plain save is stored whoever holds the lease, which stays', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
      await checkpoints.save('refund-42', checkpoint({ stepIndex: 7 }));
      expect((await checkpoints.load('refund-42'))?.stepIndex).toBe(7);
      expect(await checkpoints.acquireLease('refund-42', 'worker-b', 30_000)).toBe(false);
      expect(await checkpoints.renewLease('refund-42', 'worker-a', 30_000)).toBe(true);
    });
  });
});
