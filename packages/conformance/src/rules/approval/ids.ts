import { promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, decision } from '../../world/builders.js';
import { APPROVALS } from '../methods.js';

export const approvalIds = sentence(
  'APPROVAL-15',
  '`ids` gives the id of every approval, decided or not, in code-point order.',
  {
    needs: { methods: [...APPROVALS, 'approvals.ids'] },
    check: async ({ open }) => {
      const { approvals } = await open();
      promiseSame('the ids of nothing', await approvals.ids(), []);
      for (const id of ['b', 'a', 'Z', 'gone']) await approvals.save(approval({ id }), {});
      await approvals.decide('a', decision({ id: 'a' }));
      await approvals.delete('gone');
      promiseSame('the ids', await approvals.ids(), ['Z', 'a', 'b']);
    },
  },
);
