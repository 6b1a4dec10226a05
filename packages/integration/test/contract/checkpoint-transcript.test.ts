import type { Checkpoint, Message } from '@lousho/core/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpoint, user } from '../harness/builders.js';
import { onCheckpointStores } from '../harness/on-stores.js';

function saved(revision: number | undefined, letters: string): Checkpoint {
  return checkpoint({ ...(revision !== undefined && { revision }), messages: messages(letters) });
}

function messages(letters: string): Message[] {
  return [...letters].map(user);
}

describe('CHECKPOINT: the transcript', () => {
  onCheckpointStores((newStorage) => {
    it('CHECKPOINT-08 vouching for unchanged messages stores the same as writing all', async () => {
      const { checkpoints } = newStorage().open();
      let letters = '';
      for (let revision = 1; revision <= 12; revision++) {
        const unchangedMessages = letters.length;
        letters += 'xyz'.slice(0, revision % 4);
        await checkpoints.save('refund-42', saved(revision, letters), { unchangedMessages });
        expect(await checkpoints.load('refund-42')).toEqual(saved(revision, letters));
      }
      const history = await checkpoints.history('refund-42');
      expect(history.map((entry) => entry.checkpoint.messages.length)).toEqual([
        18, 18, 15, 13, 12, 12, 9, 7, 6, 6, 3, 1,
      ]);
    });

    it.each([
      ['an earlier one', 2],
      ['a later one', 9],
      ['the same one', 3],
      ['none', undefined],
    ])(
      'CHECKPOINT-09 CHECKPOINT-10 vouching against another stored revision, %s, is disregarded',
      async (_, stored) => {
        const { checkpoints } = newStorage().open();
        await checkpoints.save('refund-42', saved(stored, 'abc'));
        await checkpoints.save('refund-42', saved(stored === 3 ? 3 : 4, 'xyzw'), { unchangedMessages: 3 });
        expect((await checkpoints.load('refund-42'))?.messages).toEqual(messages('xyzw'));
      },
    );

    it('CHECKPOINT-10 vouching without a stored checkpoint, or without a revision, is disregarded', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.save('refund-42', saved(5, 'abc'), { unchangedMessages: 3 });
      expect((await checkpoints.load('refund-42'))?.messages).toEqual(messages('abc'));
      await checkpoints.save('refund-42', saved(undefined, 'xyz'), { unchangedMessages: 3 });
      expect((await checkpoints.load('refund-42'))?.messages).toEqual(messages('xyz'));
    });

    it('CHECKPOINT-09 a client that did not see the stored revision is not harmed by its vouching', async () => {
      const storage = newStorage();
      const [a, b] = [storage.open().checkpoints, storage.open().checkpoints];
      await a.save('refund-42', saved(1, 'ab'));
      await b.save('refund-42', saved(2, 'xyz'));
      await b.save('refund-42', saved(3, 'xyzw'), { unchangedMessages: 3 });
      await a.save('refund-42', saved(2, 'abc'), { unchangedMessages: 2 });
      expect((await b.load('refund-42'))?.messages).toEqual(messages('abc'));
    });

    it('CHECKPOINT-11 HISTORY-11 a transcript that shrinks, changes and grows keeps each save as it was', async () => {
      const { checkpoints } = newStorage().open();
      const shapes = ['ab', 'abcdef', 'abXdef', 'ab', 'a', '', 'abc', 'abcdefgh', 'Zbcdefgh', 'Zb', 'ZbXdef'];
      for (const [index, letters] of shapes.entries()) {
        await checkpoints.save('refund-42', saved(index + 1, letters));
        expect(await checkpoints.load('refund-42')).toEqual(saved(index + 1, letters));
      }
      const history = await checkpoints.history('refund-42');
      expect(history.map((entry) => entry.checkpoint)).toEqual(
        shapes.map((letters, index) => saved(index + 1, letters)).reverse(),
      );
    });

    it('CHECKPOINT-11 HISTORY-11 any sequence of transcripts, vouched for or not, is kept exactly', async () => {
      const step = fc.record({
        letters: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }),
        vouches: fc.boolean(),
        skips: fc.boolean(),
        deletes: fc.constantFrom('no', 'no', 'no', 'no', 'keepHistory'),
      });
      let id = 0;
      const historyLimit = 3;
      const { checkpoints } = newStorage().open({ historyLimit });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
          id += 1;
          const sessionId = `run-${id}`;
          const kept: Checkpoint[] = [];
          let before: Checkpoint | null = null;
          for (const { letters, vouches, skips, deletes } of steps) {
            if (deletes === 'keepHistory') {
              await checkpoints.delete(sessionId, { keepHistory: true });
              before = null;
              continue;
            }
            const revision: number = (before?.revision ?? 0) + (skips ? 2 : 1);
            const next: Checkpoint = { ...saved(revision, letters), sessionId };
            const unchangedMessages =
              vouches && before && !skips ? common(before.messages, next.messages) : 0;
            await checkpoints.save(sessionId, next, { unchangedMessages });
            before = next;
            kept.unshift(next);
            expect(await checkpoints.load(sessionId)).toEqual(next);
          }
          const history = await checkpoints.history(sessionId);
          expect(history.map((entry) => entry.checkpoint)).toEqual(kept.slice(0, historyLimit));
        }),
        { numRuns: process.env.DEEP === '1' ? 1_000 : 40 },
      );
    });
  });
});

function common(a: readonly Message[], b: readonly Message[]): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) && a[count]?.content === b[count]?.content) count += 1;
  return count;
}
