import { promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, TTL } from '../../world/builders.js';
import { BASIC } from '../methods.js';

const methods = [...BASIC, 'checkpoints.ids'] as const;

export const listIds = sentence(
  'LIST-14',
  '`ids` gives every id that has a checkpoint or a kept history, in code-point order.',
  {
    needs: { methods },
    check: async ({ open }) => {
      const { checkpoints } = await open();
      promiseSame('the ids of nothing', await checkpoints.ids(), []);
      for (const sessionId of ['b', 'a', 'a.turn-1', 'Z', 'gone']) {
        await checkpoints.save(sessionId, checkpoint({ sessionId, status: 'finished' }));
      }
      await checkpoints.delete('gone');
      promiseSame('the ids', await checkpoints.ids(), ['Z', 'a', 'a.turn-1', 'b']);
    },
  },
  {
    name: 'kept-history',
    needs: { methods: [...methods, 'checkpoints.history'] },
    check: async ({ open }) => {
      const { checkpoints } = await open();
      for (const sessionId of ['a', 'b']) await checkpoints.save(sessionId, checkpoint({ sessionId }));
      await checkpoints.delete('a', { keepHistory: true });
      promiseSame('the ids', await checkpoints.ids(), ['a', 'b']);
      await checkpoints.delete('a');
      promiseSame('the ids without that history', await checkpoints.ids(), ['b']);
    },
  },
  {
    name: 'leased',
    needs: { methods: [...methods, 'checkpoints.acquireLease'] },
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.acquireLease('a', 'worker-a', TTL);
      promiseSame('the ids, of which one is only leased', await checkpoints.ids(), []);
    },
  },
);
