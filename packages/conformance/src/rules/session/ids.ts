import { promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { user } from '../../world/builders.js';
import { SESSIONS } from '../methods.js';

export const sessionIds = sentence(
  'SESSION-12',
  '`ids` gives every id that has a transcript, in code-point order.',
  {
    needs: { methods: [...SESSIONS, 'sessions.ids'] },
    check: async ({ open }) => {
      const { sessions } = await open();
      promiseSame('the ids of nothing', await sessions.ids(), []);
      for (const id of ['b', 'a', 'Z', 'gone']) await sessions.saveIf(id, 0, [user('Hello')]);
      await sessions.saveIf('b', 1, []);
      await sessions.delete('gone');
      promiseSame('the ids', await sessions.ids(), ['Z', 'a', 'b']);
    },
  },
);
