import { describe, expect, it } from 'vitest';
import { checkpoint, user } from '../harness/builders.js';
import { onCheckpointStores, onFullStores } from '../harness/on-stores.js';
import type { BasicCheckpoints } from '../harness/store-kind.js';

async function saveSteps(checkpoints: BasicCheckpoints, steps: readonly number[]): Promise<void> {
  for (const stepIndex of steps)
    await checkpoints.save('refund-42', checkpoint({ stepIndex, revision: stepIndex + 1 }));
}

async function stepsOf(checkpoints: BasicCheckpoints, limit?: number): Promise<number[]> {
  const history = await checkpoints.history('refund-42', limit === undefined ? undefined : { limit });
  return history.map(({ step }) => step);
}

describe('HISTORY', () => {
  onCheckpointStores((newStorage) => {
    it('HISTORY-01 an unknown id has no history', async () => {
      expect(await newStorage().open().checkpoints.history('nobody')).toEqual([]);
    });

    it('HISTORY-02 HISTORY-04 HISTORY-05 each save is one entry, newest first, with its facts', async () => {
      const { clock, open } = newStorage();
      const { checkpoints } = open();
      const saves = [
        checkpoint({ stepIndex: 1 }),
        checkpoint({ stepIndex: 2, status: 'awaiting-approval', approvalId: 'approval-1' }),
        checkpoint({ stepIndex: 2, status: 'finished', messages: [user('one'), user('two')] }),
      ];
      for (const save of saves) {
        await checkpoints.save('refund-42', save);
        clock.advance(1_000);
      }
      expect(await checkpoints.history('refund-42')).toEqual([
        { step: 2, savedAt: '2030-01-01T00:00:02.000Z', status: 'finished', checkpoint: saves[2] },
        { step: 2, savedAt: '2030-01-01T00:00:01.000Z', status: 'awaiting-approval', checkpoint: saves[1] },
        { step: 1, savedAt: '2030-01-01T00:00:00.000Z', status: 'in-progress', checkpoint: saves[0] },
      ]);
    });

    it('HISTORY-03 two saves of one step are two entries, also of one revision', async () => {
      const { checkpoints } = newStorage().open();
      await saveSteps(checkpoints, [4, 4]);
      expect(await stepsOf(checkpoints)).toEqual([4, 4]);
    });

    it('HISTORY-06 the newest historyLimit entries are kept', async () => {
      const { checkpoints } = newStorage().open({ historyLimit: 3 });
      await saveSteps(checkpoints, [0, 1, 2, 3, 4]);
      expect(await stepsOf(checkpoints)).toEqual([4, 3, 2]);
    });

    it('HISTORY-06 50 entries are kept by default', async () => {
      const { checkpoints } = newStorage().open();
      await saveSteps(
        checkpoints,
        Array.from({ length: 55 }, (_, index) => index),
      );
      expect(await stepsOf(checkpoints)).toEqual(Array.from({ length: 50 }, (_, index) => 54 - index));
    });

    it('HISTORY-07 limit gives the newest so many', async () => {
      const { checkpoints } = newStorage().open();
      await saveSteps(checkpoints, [1, 2, 3]);
      expect(await stepsOf(checkpoints, 2)).toEqual([3, 2]);
      expect(await stepsOf(checkpoints, 0)).toEqual([]);
      expect(await stepsOf(checkpoints, 99)).toEqual([3, 2, 1]);
    });

    it('HISTORY-08 without a history everything else works', async () => {
      const { checkpoints } = newStorage().open({ historyLimit: 0 });
      await saveSteps(checkpoints, [1, 2]);
      const last = checkpoint({ revision: 4, messages: [user('Refund order 42'), user('again')] });
      await checkpoints.save('refund-42', last, { unchangedMessages: 1 });
      expect(await checkpoints.history('refund-42')).toEqual([]);
      expect(await checkpoints.load('refund-42')).toEqual(last);
      expect(await checkpoints.list()).toHaveLength(1);
      await checkpoints.delete('refund-42', { keepHistory: true });
      expect(await checkpoints.load('refund-42')).toBeNull();
    });

    it('HISTORY-09 delete removes the history', async () => {
      const { checkpoints } = newStorage().open();
      await saveSteps(checkpoints, [1, 2]);
      await checkpoints.delete('refund-42');
      expect(await stepsOf(checkpoints)).toEqual([]);
      await saveSteps(checkpoints, [0]);
      expect(await stepsOf(checkpoints)).toEqual([0]);
    });

    it('HISTORY-10 keepHistory keeps it, and later saves add to it', async () => {
      const { checkpoints } = newStorage().open({ historyLimit: 4 });
      await saveSteps(checkpoints, [0, 1, 2]);
      await checkpoints.delete('refund-42', { keepHistory: true });
      expect(await stepsOf(checkpoints)).toEqual([2, 1, 0]);
      await saveSteps(checkpoints, [0, 1]);
      expect(await stepsOf(checkpoints)).toEqual([1, 0, 2, 1]);
      await checkpoints.delete('refund-42');
      expect(await stepsOf(checkpoints)).toEqual([]);
    });

    it('HISTORY-10 a history that outlived its checkpoint is removed by a plain delete', async () => {
      const { checkpoints } = newStorage().open();
      await saveSteps(checkpoints, [0, 1]);
      await checkpoints.delete('refund-42', { keepHistory: true });
      await checkpoints.delete('refund-42');
      expect(await stepsOf(checkpoints)).toEqual([]);
    });

    it('HISTORY-12 HISTORY-13 the newest entry is the loaded checkpoint and the revisions have no gap', async () => {
      const { checkpoints } = newStorage().open({ historyLimit: 5 });
      for (let revision = 1; revision <= 12; revision++) {
        await checkpoints.save('refund-42', checkpoint({ revision }));
        const history = await checkpoints.history('refund-42');
        expect(history[0]?.checkpoint).toEqual(await checkpoints.load('refund-42'));
        expect(history.map((entry) => entry.checkpoint.revision)).toEqual(
          Array.from({ length: Math.min(5, revision) }, (_, index) => revision - index),
        );
      }
    });
  });

  onFullStores((newStorage) => {
    it('HISTORY-13 a reader beside two writers in turn always sees a history without a gap', async () => {
      const storage = newStorage();
      const [a, b, reader] = [
        storage.open({ historyLimit: 3 }),
        storage.open({ historyLimit: 3 }),
        storage.open({ historyLimit: 3 }),
      ];
      let isWriting = true;
      const writing = (async () => {
        for (let revision = 1; revision <= 20; revision++) {
          const [store, owner] = revision % 2 ? [a, 'worker-a'] : [b, 'worker-b'];
          await store.checkpoints.acquireLease('refund-42', owner, 1_000);
          expect(await store.checkpoints.saveIfLeased('refund-42', checkpoint({ revision }), owner)).toBe(
            true,
          );
          await store.checkpoints.releaseLease('refund-42', owner);
        }
        isWriting = false;
      })();
      while (isWriting) {
        const revisions = (await reader.checkpoints.history('refund-42')).map(
          (entry) => entry.checkpoint.revision ?? 0,
        );
        const newest = revisions[0] ?? 0;
        expect(revisions).toEqual(Array.from({ length: Math.min(3, newest) }, (_, index) => newest - index));
        await new Promise(setImmediate);
      }
      await writing;
    });

    it('HISTORY-14 a fenced or refused save adds no entry', async () => {
      const { checkpoints } = newStorage().open();
      await saveSteps(checkpoints, [1]);
      expect(await checkpoints.saveIfLeased('refund-42', checkpoint({ revision: 3 }), 'worker-a')).toBe(
        false,
      );
      await expect(
        checkpoints.save('refund-42', checkpoint({ metadata: { n: Number.NaN } })),
      ).rejects.toThrow();
      expect(await stepsOf(checkpoints)).toEqual([1]);
    });
  });
});
