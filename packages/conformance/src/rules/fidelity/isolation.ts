import type { Message } from '@lousho/core/contract';
import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, ID, user } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { APPROVALS, BASIC, SESSIONS } from '../methods.js';

export const fidelityIsolation = [
  ...sentence(
    'FIDELITY-10',
    'Changing an object after it was passed to a save changes nothing that is stored, also before the save has settled.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const state = { count: 1 };
        const tags = ['a'];
        const messages = [user('one'), { ...user('two'), metadata: { tags } }];
        const saving = checkpoints.save(ID, checkpoint({ messages, businessState: state }));
        state.count = 2;
        tags.push('b');
        messages.push(user('three'));
        await saving;
        state.count = 3;
        const loaded = await checkpoints.load(ID);
        promiseSame('the state', loaded?.businessState, { count: 1 });
        promiseSame('the messages', loaded?.messages, [
          user('one'),
          { ...user('two'), metadata: { tags: ['a'] } },
        ]);
      },
    },
    {
      name: 'bytes',
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const state = new Uint8Array([1]);
        const saving = checkpoints.save(ID, checkpoint({ businessState: state }));
        state[0] = 9;
        await saving;
        state[0] = 8;
        promiseSame('the state', (await checkpoints.load(ID))?.businessState, new Uint8Array([1]));
      },
    },
    {
      name: 'approvals',
      needs: { methods: APPROVALS },
      check: async ({ open }) => {
        const { approvals } = await open();
        const args = { order: 42 };
        const saving = approvals.save(approval({ args }), {});
        args.order = 43;
        await saving;
        args.order = 44;
        promiseSame('the arguments', (await approvals.load('approval-1'))?.approval.args, { order: 42 });
      },
    },
    {
      name: 'sessions',
      needs: { methods: SESSIONS },
      check: async ({ open }) => {
        const { sessions } = await open();
        const messages = [user('one')];
        const saving = sessions.saveIf('chat-1', 0, messages);
        messages.push(user('two'));
        await saving;
        messages.push(user('three'));
        promiseSame('the messages', (await sessions.load('chat-1'))?.messages, [user('one')]);
      },
    },
  ),
  ...sentence(
    'FIDELITY-11',
    'Changing what was loaded or listed changes nothing that is stored.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const saved = checkpoint({ businessState: { count: 1 } });
        await checkpoints.save(ID, saved);
        for (const copy of await copiesOf(checkpoints)) {
          promise('something is loaded', copy !== null && copy !== undefined, copy);
          if (!copy) return;
          (copy.businessState as { count: number }).count = 2;
          (copy.messages as Message[]).push(user('added'));
        }
        for (const copy of await copiesOf(checkpoints)) promiseSame('what is loaded then', copy, saved);
      },
    },
    {
      name: 'approvals',
      needs: { methods: APPROVALS },
      check: async ({ open }) => {
        const { approvals } = await open();
        await approvals.save(approval(), {});
        const loaded = [(await approvals.load('approval-1'))?.approval, (await approvals.list())[0]];
        for (const record of loaded) {
          promise('it is loaded', record !== undefined, record);
          if (record) (record.args as { order: number }).order = 43;
        }
        promiseSame('the loaded arguments', (await approvals.load('approval-1'))?.approval.args, {
          order: 42,
        });
        promiseSame('the listed arguments', (await approvals.list())[0]?.args, { order: 42 });
      },
    },
    {
      name: 'sessions',
      needs: { methods: SESSIONS },
      check: async ({ open }) => {
        const { sessions } = await open();
        await sessions.saveIf('chat-1', 0, [user('one')]);
        const loaded = await sessions.load('chat-1');
        promise('it is loaded', loaded !== null, loaded);
        if (loaded) (loaded.messages as Message[]).push(user('two'));
        promiseSame('the messages', (await sessions.load('chat-1'))?.messages, [user('one')]);
      },
    },
  ),
];

/** The checkpoint by every method that gives it. */
async function copiesOf(checkpoints: Client['checkpoints']) {
  const partial: Partial<Client['checkpoints']> = checkpoints;
  return [
    await checkpoints.load(ID),
    ...(partial.history ? [(await partial.history(ID))[0]?.checkpoint] : []),
    ...(partial.list ? [(await partial.list())[0]?.checkpoint] : []),
  ];
}
