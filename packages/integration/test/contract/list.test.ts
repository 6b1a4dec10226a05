import type { Checkpoint, CheckpointStatus } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { checkpoint } from '../harness/builders.js';
import { onCheckpointStores, onFullStores } from '../harness/on-stores.js';
import type { BasicCheckpoints } from '../harness/store-kind.js';

const IN_ORDER = ['-a', '0', '10', '9', 'A', 'B.c', '_', 'a', 'a-1', 'a.1', 'a0', 'aB', 'ab', 'b'];

async function saveAll(
  checkpoints: BasicCheckpoints,
  ids: readonly string[],
  fields: Partial<Checkpoint> = {},
) {
  for (const id of [...ids].reverse()) await checkpoints.save(id, checkpoint({ sessionId: id, ...fields }));
}

function idsOf(entries: readonly { readonly sessionId: string }[]): string[] {
  return entries.map(({ sessionId }) => sessionId);
}

describe('LIST', () => {
  onCheckpointStores((newStorage) => {
    it('LIST-01 every id is listed once, in code-point order', async () => {
      const { checkpoints } = newStorage().open();
      expect(await checkpoints.list()).toEqual([]);
      await saveAll(checkpoints, IN_ORDER);
      await saveAll(checkpoints, IN_ORDER);
      expect(idsOf(await checkpoints.list())).toEqual(IN_ORDER);
    });

    it('LIST-02 LIST-11 a status selects by the latest save, and none counts as in progress', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.save('a', checkpoint({ sessionId: 'a' }));
      for (const status of ['finished', 'awaiting-approval', 'in-progress'] as const) {
        await checkpoints.save('b', checkpoint({ sessionId: 'b', status }));
      }
      for (const status of ['in-progress', 'awaiting-approval'] as const) {
        await checkpoints.save('c', checkpoint({ sessionId: 'c', status }));
      }
      for (const status of ['awaiting-approval', 'finished'] as const) {
        await checkpoints.save('d', checkpoint({ sessionId: 'd', status }));
      }
      const listed = async (status: CheckpointStatus) => idsOf(await checkpoints.list({ status }));
      expect(await listed('in-progress')).toEqual(['a', 'b']);
      expect(await listed('awaiting-approval')).toEqual(['c']);
      expect(await listed('finished')).toEqual(['d']);
      expect((await checkpoints.list()).map(({ status }) => status)).toEqual([
        'in-progress',
        'in-progress',
        'awaiting-approval',
        'finished',
      ]);
    });

    it('LIST-03 LIST-04 after and limit cut the list', async () => {
      const { checkpoints } = newStorage().open();
      await saveAll(checkpoints, ['a', 'b', 'c', 'd']);
      expect(idsOf(await checkpoints.list({ after: 'b' }))).toEqual(['c', 'd']);
      expect(idsOf(await checkpoints.list({ after: 'bb' }))).toEqual(['c', 'd']);
      expect(idsOf(await checkpoints.list({ after: 'd' }))).toEqual([]);
      expect(idsOf(await checkpoints.list({ limit: 2 }))).toEqual(['a', 'b']);
      expect(idsOf(await checkpoints.list({ after: 'a', limit: 2 }))).toEqual(['b', 'c']);
      expect(await checkpoints.list({ limit: 0 })).toEqual([]);
    });

    it('LIST-04 limit counts what the status selected', async () => {
      const { checkpoints } = newStorage().open();
      await saveAll(checkpoints, ['a', 'c', 'e'], { status: 'finished' });
      await saveAll(checkpoints, ['b', 'd', 'f']);
      expect(idsOf(await checkpoints.list({ status: 'in-progress', limit: 2 }))).toEqual(['b', 'd']);
      expect(idsOf(await checkpoints.list({ status: 'in-progress', after: 'b', limit: 5 }))).toEqual([
        'd',
        'f',
      ]);
    });

    it.each([1, 3, 5, 14])('LIST-05 paging by %i visits every id once', async (limit) => {
      const { checkpoints } = newStorage().open();
      await saveAll(checkpoints, IN_ORDER);
      const visited: string[] = [];
      for (let page = idsOf(await checkpoints.list({ limit })); page.length > 0; ) {
        visited.push(...page);
        // A store that pages in circles fails here instead of running for ever.
        expect(visited.length).toBeLessThanOrEqual(IN_ORDER.length);
        page = idsOf(await checkpoints.list({ limit, after: visited.at(-1) as string }));
      }
      expect(visited).toEqual(IN_ORDER);
    });

    it('LIST-06 a deleted id is not listed', async () => {
      const { checkpoints } = newStorage().open();
      await saveAll(checkpoints, ['a', 'b', 'c']);
      await checkpoints.delete('a');
      await checkpoints.delete('b', { keepHistory: true });
      expect(idsOf(await checkpoints.list())).toEqual(['c']);
    });

    it('LIST-07 a listed checkpoint equals the loaded one', async () => {
      const { checkpoints } = newStorage().open();
      await saveAll(checkpoints, ['a', 'b'], {
        businessState: { bytes: new Uint8Array([1, 2]) },
        revision: 1,
      });
      for (const { sessionId, checkpoint: listed } of await checkpoints.list()) {
        expect(listed).toEqual(await checkpoints.load(sessionId));
      }
    });
  });

  onFullStores((newStorage) => {
    it('LIST-08 LIST-11 listPending gives what is not finished by its latest save, in order', async () => {
      const { checkpoints } = newStorage().open();
      await saveAll(checkpoints, IN_ORDER);
      await saveAll(checkpoints, ['9', 'a'], { status: 'finished' });
      await saveAll(checkpoints, ['b'], { status: 'awaiting-approval' });
      await saveAll(checkpoints, ['a'], { status: 'in-progress' });
      expect(idsOf(await checkpoints.listPending())).toEqual(IN_ORDER.filter((id) => id !== '9'));
      await checkpoints.delete('b');
      expect(idsOf(await checkpoints.listPending())).not.toContain('b');
    });

    it('LIST-09 a pending entry has what the checkpoint has, and nothing else', async () => {
      const { checkpoints } = newStorage().open();
      const lastError = { message: 'overloaded', code: 'X', retryable: true, at: '2030-01-01T00:00:00.000Z' };
      await checkpoints.save('a', checkpoint({ sessionId: 'a', stepIndex: 3 }));
      await checkpoints.save(
        'b',
        checkpoint({ sessionId: 'b', attempts: 2, lastError, status: 'in-progress' }),
      );
      await checkpoints.save(
        'c',
        checkpoint({
          sessionId: 'c',
          status: 'awaiting-approval',
          approvalId: 'approval-1',
          approvalKind: 'question',
        }),
      );
      expect(await checkpoints.listPending()).toStrictEqual([
        { sessionId: 'a', status: 'in-progress', step: 3 },
        { sessionId: 'b', status: 'in-progress', step: 1, lastError, attempts: 2 },
        {
          sessionId: 'c',
          status: 'awaiting-approval',
          step: 1,
          approvalId: 'approval-1',
          approvalKind: 'question',
        },
      ]);
    });

    it('LIST-10 after and limit page listPending', async () => {
      const { checkpoints } = newStorage().open();
      await saveAll(checkpoints, ['a', 'c', 'e']);
      await saveAll(checkpoints, ['b', 'd'], { status: 'finished' });
      await saveAll(checkpoints, ['f'], { status: 'awaiting-approval' });
      expect(idsOf(await checkpoints.listPending({ limit: 2 }))).toEqual(['a', 'c']);
      expect(idsOf(await checkpoints.listPending({ after: 'c', limit: 2 }))).toEqual(['e', 'f']);
      expect(idsOf(await checkpoints.listPending({ after: 'f' }))).toEqual([]);
      expect(await checkpoints.listPending({ limit: 0 })).toEqual([]);
    });
  });
});
