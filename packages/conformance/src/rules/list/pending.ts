import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint } from '../../world/builders.js';
import { BASIC } from '../methods.js';
import { IN_ORDER, idsOf, saveAll } from './list.js';

const needs = { methods: [...BASIC, 'checkpoints.listPending'] } as const;

export const listPending = [
  ...sentence(
    'LIST-08',
    '`listPending` gives the ids whose checkpoint is not finished, by id in code-point order.',
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await saveAll(checkpoints, IN_ORDER);
        await saveAll(checkpoints, ['9', 'a'], { status: 'finished' });
        await saveAll(checkpoints, ['b'], { status: 'awaiting-approval' });
        await saveAll(checkpoints, ['a'], { status: 'in-progress' });
        const pending = IN_ORDER.filter((id) => id !== '9');
        promiseSame('the pending ids', idsOf(await checkpoints.listPending()), pending);
        await checkpoints.delete('b');
        const left = idsOf(await checkpoints.listPending());
        promise('a deleted id is not pending', !left.includes('b'), left);
      },
    },
  ),
  ...sentence(
    'LIST-09',
    "A pending entry has the checkpoint's `step`, `status`, `approvalId`, `approvalKind`, `lastError` and `attempts`; what the checkpoint does not have is absent.",
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const lastError = {
          message: 'overloaded',
          code: 'X',
          retryable: true,
          at: '2030-01-01T00:00:00.000Z',
        };
        const waiting = {
          status: 'awaiting-approval',
          approvalId: 'approval-1',
          approvalKind: 'question',
        } as const;
        await checkpoints.save('a', checkpoint({ sessionId: 'a', stepIndex: 3 }));
        await checkpoints.save(
          'b',
          checkpoint({ sessionId: 'b', status: 'in-progress', attempts: 2, lastError }),
        );
        await checkpoints.save('c', checkpoint({ sessionId: 'c', ...waiting }));
        promiseSame('the pending entries', await checkpoints.listPending(), [
          { sessionId: 'a', status: 'in-progress', step: 3 },
          { sessionId: 'b', status: 'in-progress', step: 1, lastError, attempts: 2 },
          { sessionId: 'c', step: 1, ...waiting },
        ]);
      },
    },
  ),
  ...sentence('LIST-10', '`after` and `limit` page `listPending` as they page `list`.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveAll(checkpoints, ['a', 'c', 'e']);
      await saveAll(checkpoints, ['b', 'd'], { status: 'finished' });
      await saveAll(checkpoints, ['f'], { status: 'awaiting-approval' });
      promiseSame('two', idsOf(await checkpoints.listPending({ limit: 2 })), ['a', 'c']);
      promiseSame('two after `c`', idsOf(await checkpoints.listPending({ after: 'c', limit: 2 })), [
        'e',
        'f',
      ]);
      promiseSame('after the last', await checkpoints.listPending({ after: 'f' }), []);
      promiseSame('none', await checkpoints.listPending({ limit: 0 }), []);
    },
  }),
];
