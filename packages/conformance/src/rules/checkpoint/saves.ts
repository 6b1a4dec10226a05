import { promise, promiseSame, refusalOf } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, messages, TTL, user } from '../../world/builders.js';
import type { World } from '../../world/world.js';
import { everything } from '../everything.js';
import { BASIC, LEASES } from '../methods.js';

const needs = { methods: BASIC };

export const checkpointSaves = [
  ...sentence('CHECKPOINT-01', 'Loading an unknown id gives `null`.', {
    needs,
    check: async ({ open }) => {
      promiseSame('an unknown id loads as', await (await open()).checkpoints.load('nobody'), null);
    },
  }),
  ...sentence('CHECKPOINT-02', '`load` gives the last accepted save.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      for (let revision = 1; revision <= 5; revision++) {
        const saved = checkpoint({ revision, stepIndex: revision });
        await checkpoints.save(ID, saved);
        promiseSame('load gives the last save', await checkpoints.load(ID), saved);
      }
    },
  }),
  ...sentence('CHECKPOINT-03', 'A save replaces the whole checkpoint: what it leaves out is gone.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.save(ID, checkpoint({ revision: 1, attempts: 2, businessState: 'old' }));
      await checkpoints.save(ID, checkpoint({ revision: 2 }));
      promiseSame(
        'load gives nothing of the save before',
        await checkpoints.load(ID),
        checkpoint({ revision: 2 }),
      );
    },
  }),
  ...sentence(
    'CHECKPOINT-04',
    'A plain `save` is stored whoever holds the lease, and leaves the lease as it is.',
    {
      needs: { methods: [...BASIC, ...LEASES] },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        await checkpoints.save(ID, checkpoint({ stepIndex: 7 }));
        promiseSame('the plain save is stored', (await checkpoints.load(ID))?.stepIndex, 7);
        promiseSame(
          'another owner is granted the id',
          await checkpoints.acquireLease(ID, 'worker-b', TTL),
          false,
        );
        promiseSame('the holder renews', await checkpoints.renewLease(ID, 'worker-a', TTL), true);
      },
    },
  ),
  ...sentence('CHECKPOINT-05', 'After `delete`, `load` gives `null`.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.save(ID, checkpoint());
      await checkpoints.delete(ID);
      promiseSame('a deleted id loads as', await checkpoints.load(ID), null);
    },
  }),
  ...sentence('CHECKPOINT-06', 'Deleting an unknown id succeeds.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.delete('nobody');
      await checkpoints.delete('nobody', { keepHistory: true });
      promiseSame('the id loads as', await checkpoints.load('nobody'), null);
    },
  }),
  ...sentence(
    'CHECKPOINT-07',
    'A save after a delete starts anew, at any revision.',
    ...[false, true].map((keepHistory) => ({
      ...(keepHistory && { name: 'history-kept' }),
      needs,
      check: async ({ open }: World) => {
        const { checkpoints } = await open();
        for (const revision of [1, 2, 3])
          await checkpoints.save(ID, checkpoint({ revision, messages: messages('abc') }));
        await checkpoints.delete(ID, { keepHistory });
        const anew = checkpoint({ revision: 1, messages: messages('zb') });
        await checkpoints.save(ID, anew);
        promiseSame('the save after the delete is loaded', await checkpoints.load(ID), anew);
        const next = checkpoint({ revision: 2, messages: messages('zbd') });
        await checkpoints.save(ID, next, { unchangedMessages: 2 });
        promiseSame('the save that continues it is loaded', await checkpoints.load(ID), next);
      },
    })),
  ),
  ...sentence('CHECKPOINT-12', 'A checkpoint without messages is stored and loaded as such.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.save(ID, checkpoint({ messages: [] }));
      promiseSame('it loads as', await checkpoints.load(ID), checkpoint({ messages: [] }));
    },
  }),
  ...sentence('CHECKPOINT-13', 'Saves of different ids that run at the same time are all stored.', {
    needs,
    under: 'concurrency',
    check: async ({ open }) => {
      const { checkpoints } = await open();
      const ids = Array.from({ length: 50 }, (_, index) => `run-${index}`);
      await Promise.all(
        ids.map((id) => checkpoints.save(id, checkpoint({ sessionId: id, businessState: id }))),
      );
      const states = await Promise.all(ids.map(async (id) => (await checkpoints.load(id))?.businessState));
      promiseSame('each id loads as its own save', states, ids);
    },
  }),
  ...sentence(
    'CHECKPOINT-15',
    'A save that rejects because it was refused leaves the checkpoint, its history and the listings as they were.',
    {
      needs,
      check: async ({ open }) => {
        const client = await open();
        await client.checkpoints.save(ID, checkpoint({ revision: 1 }));
        const before = await everything(client);
        const refused = checkpoint({
          revision: 2,
          status: 'finished',
          messages: [user('fine'), { ...user('bad'), metadata: { n: 1n } }],
        });
        const code = await refusalOf(() => client.checkpoints.save(ID, refused));
        promise('the save is refused', code === 'LOUSHO_VALUE_INVALID', code);
        promiseSame('everything is as it was', await everything(client), before);
      },
    },
  ),
];
