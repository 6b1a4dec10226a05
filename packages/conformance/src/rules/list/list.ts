import type { Checkpoint, CheckpointStatus } from '@lousho/core/contract';
import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, user } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { BASIC } from '../methods.js';

const needs = { methods: [...BASIC, 'checkpoints.list'] } as const;

export const listAll = [
  ...sentence('LIST-01', '`list` gives the latest checkpoint of every id, by id in code-point order.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      promiseSame('the list of nothing', await checkpoints.list(), []);
      for (let times = 0; times < 2; times++) await saveAll(checkpoints, IN_ORDER);
      promiseSame('the listed ids', idsOf(await checkpoints.list()), IN_ORDER);
    },
  }),
  ...sentence('LIST-02', '`status` selects; a checkpoint without a status counts as `in-progress`.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveInTurn(checkpoints);
      const listed = async (status: CheckpointStatus) => idsOf(await checkpoints.list({ status }));
      promiseSame('those in progress', await listed('in-progress'), ['a', 'b']);
      promiseSame('those that wait', await listed('awaiting-approval'), ['c']);
      promiseSame('those that finished', await listed('finished'), ['d']);
    },
  }),
  ...sentence('LIST-03', '`after` gives only ids behind it, whether or not that id exists.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveAll(checkpoints, ['a', 'b', 'c', 'd']);
      promiseSame('after `b`', idsOf(await checkpoints.list({ after: 'b' })), ['c', 'd']);
      promiseSame('after `bb`, which does not exist', idsOf(await checkpoints.list({ after: 'bb' })), [
        'c',
        'd',
      ]);
      promiseSame('after the last', idsOf(await checkpoints.list({ after: 'd' })), []);
    },
  }),
  ...sentence('LIST-04', '`limit` gives at most so many; 0 gives `[]`.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveAll(checkpoints, ['a', 'c', 'e'], { status: 'finished' });
      await saveAll(checkpoints, ['b', 'd', 'f']);
      promiseSame('two', idsOf(await checkpoints.list({ limit: 2 })), ['a', 'b']);
      promiseSame('two after `a`', idsOf(await checkpoints.list({ after: 'a', limit: 2 })), ['b', 'c']);
      promiseSame('none', await checkpoints.list({ limit: 0 }), []);
      promiseSame('two in progress', idsOf(await checkpoints.list({ status: 'in-progress', limit: 2 })), [
        'b',
        'd',
      ]);
      const rest = await checkpoints.list({ status: 'in-progress', after: 'b', limit: 5 });
      promiseSame('those in progress after `b`', idsOf(rest), ['d', 'f']);
    },
  }),
  ...sentence('LIST-05', 'Paging by `after` and `limit` visits every id once.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveAll(checkpoints, IN_ORDER);
      for (const limit of [1, 3, 5, IN_ORDER.length]) {
        const visited: string[] = [];
        for (let page = idsOf(await checkpoints.list({ limit })); page.length > 0; ) {
          visited.push(...page);
          promise('paging comes to an end', visited.length <= IN_ORDER.length, visited);
          page = idsOf(await checkpoints.list({ limit, after: visited.at(-1) as string }));
        }
        promiseSame(`pages of ${limit} visit`, visited, IN_ORDER);
      }
    },
  }),
  ...sentence('LIST-06', 'A deleted id is not listed, also when its history was kept.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveAll(checkpoints, ['a', 'b', 'c']);
      await checkpoints.delete('a');
      await checkpoints.delete('b', { keepHistory: true });
      promiseSame('the listed ids', idsOf(await checkpoints.list()), ['c']);
    },
  }),
  ...sentence('LIST-07', 'A listed checkpoint equals what `load` gives.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveAll(checkpoints, ['a', 'b'], {
        businessState: { bytes: new Uint8Array([1, 2]) },
        revision: 1,
      });
      for (const { sessionId, checkpoint: listed } of await checkpoints.list()) {
        promiseSame(`the listed \`${sessionId}\``, listed, await checkpoints.load(sessionId));
      }
    },
  }),
  ...sentence(
    'LIST-11',
    'An id is listed under the status of its latest save, however often the status changed.',
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await saveInTurn(checkpoints);
        const statuses = (await checkpoints.list()).map(({ status }) => status);
        promiseSame('the listed statuses', statuses, [
          'in-progress',
          'in-progress',
          'awaiting-approval',
          'finished',
        ]);
        const counts = await Promise.all(
          STATUSES.map(async (status) => (await checkpoints.list({ status })).length),
        );
        promiseSame('ids by status', counts, [2, 1, 1]);
      },
    },
  ),
  ...sentence(
    'LIST-12',
    'A record that cannot be read is listed as `in-progress` with `lastError.code` `LOUSHO_CHECKPOINT_CORRUPT` and `retryable: false`, and the others are listed with it.',
    {
      needs: { ...needs, survives: ['process-crash', 'power-loss'], seams: ['damage'] },
      under: 'fault',
      check: async ({ open, damage }) => {
        const { checkpoints } = await open();
        for (const revision of [1, 2, 3]) {
          const fields = { revision, messages: [user('x'.repeat(200))], status: 'finished' } as const;
          await saveAll(checkpoints, ['broken', 'whole'], fields);
        }
        await damage('broken');
        const listed = await (await open()).checkpoints.list();
        promiseSame('the listed ids', idsOf(listed), ['broken', 'whole']);
        promiseSame('the damaged one’s status', listed[0]?.status, 'in-progress');
        promiseSame('its code', listed[0]?.checkpoint.lastError?.code, 'LOUSHO_CHECKPOINT_CORRUPT');
        promiseSame('its retryable', listed[0]?.checkpoint.lastError?.retryable, false);
        promiseSame('the other’s status', listed[1]?.status, 'finished');
      },
    },
    {
      name: 'pending',
      needs: {
        methods: [...BASIC, 'checkpoints.listPending'],
        survives: ['process-crash', 'power-loss'],
        seams: ['damage'],
      },
      under: 'fault',
      check: async ({ open, damage }) => {
        const { checkpoints } = await open();
        for (const revision of [1, 2, 3]) {
          await saveAll(checkpoints, ['broken', 'whole'], { revision, messages: [user('x'.repeat(200))] });
        }
        await damage('broken');
        const pending = await (await open()).checkpoints.listPending();
        promiseSame('the pending ids', idsOf(pending), ['broken', 'whole']);
        promiseSame('the damaged one’s code', pending[0]?.lastError?.code, 'LOUSHO_CHECKPOINT_CORRUPT');
        promiseSame('its retryable', pending[0]?.lastError?.retryable, false);
      },
    },
  ),
  ...sentence(
    'LIST-13',
    'While ids are saved and deleted, a list holds every id that was there all the time, once.',
    {
      needs: { ...needs, reads: ['latest'] },
      under: 'concurrency',
      check: async ({ open }) => {
        const [writer, reader] = [(await open()).checkpoints, (await open()).checkpoints];
        await saveAll(writer, IN_ORDER);
        let isWriting = true;
        const writing = (async () => {
          for (let round = 0; round < 12; round++) {
            await writer.save(`x-${round}`, checkpoint({ sessionId: `x-${round}` }));
            await writer.save('a', checkpoint({ sessionId: 'a', stepIndex: round }));
            if (round > 0) await writer.delete(`x-${round - 1}`);
          }
        })();
        const done = writing.finally(() => {
          isWriting = false;
        });
        void done.catch(() => {});
        while (isWriting) {
          const ids = idsOf(await reader.list());
          promiseSame(
            'those that were there all the time are listed once',
            ids.filter((id) => !id.startsWith('x-')),
            IN_ORDER,
          );
          await new Promise<void>((resolve) => setImmediate(resolve));
        }
        await writing;
      },
    },
  ),
];

export const IN_ORDER = ['-a', '0', '10', '9', 'A', 'B.c', '_', 'a', 'a-1', 'a.1', 'a0', 'aB', 'ab', 'b'];

const STATUSES: readonly CheckpointStatus[] = ['in-progress', 'awaiting-approval', 'finished'];

/** In the opposite order, so that no list is right by chance. */
export async function saveAll(
  checkpoints: Client['checkpoints'],
  ids: readonly string[],
  fields: Partial<Checkpoint> = {},
): Promise<void> {
  for (const id of [...ids].reverse()) await checkpoints.save(id, checkpoint({ sessionId: id, ...fields }));
}

export function idsOf(entries: readonly { readonly sessionId: string }[]): string[] {
  return entries.map(({ sessionId }) => sessionId);
}

/** Four ids whose statuses changed: a none, b in progress, c waiting, d finished. */
async function saveInTurn(checkpoints: Client['checkpoints']): Promise<void> {
  const turns: Record<string, readonly (CheckpointStatus | undefined)[]> = {
    a: [undefined],
    b: ['finished', 'awaiting-approval', 'in-progress'],
    c: ['in-progress', 'awaiting-approval'],
    d: ['awaiting-approval', 'finished'],
  };
  for (const [id, statuses] of Object.entries(turns)) {
    for (const status of statuses)
      await checkpoints.save(id, checkpoint({ sessionId: id, ...(status && { status }) }));
  }
}
