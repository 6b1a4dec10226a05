import { errorOf, promise, promiseRefusal, promiseSame } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, decision, user } from '../../world/builders.js';
import { APPROVALS, BASIC, SESSIONS } from '../methods.js';
import { INVALID } from './examples.js';

/** What the other parts are called with, and what a store is made and pruned with. */
export const refusalPartsAndOptions = [
  ...sentence(
    'REFUSAL-08',
    'An approval whose `createdAt` is no instant and a decision whose `approved` is no boolean are refused with `LOUSHO_CONFIG_INVALID`.',
    {
      needs: { methods: APPROVALS },
      check: async ({ open }) => {
        const { approvals } = await open();
        await approvals.save(approval(), {});
        const calls = {
          'an approval of yesterday': () =>
            approvals.save(approval({ id: 'new', createdAt: 'yesterday' }), {}),
          'an approval of no time': () =>
            approvals.save(approval({ id: 'new', createdAt: undefined as never }), {}),
          'no approval': () => approvals.save(null as never, {}),
          'an approval without a snapshot': () => approvals.save(approval({ id: 'new' }), null as never),
          'a decision `yes`': () => approvals.decide('approval-1', decision({ approved: 'yes' as never })),
          'no decision': () => approvals.decide('approval-1', null as never),
        };
        for (const [name, call] of Object.entries(calls)) await promiseRefusal(name, INVALID, call);
        promiseSame('nothing is stored', await approvals.load('new'), null);
        promiseSame(
          'the approval can be decided',
          await approvals.decide('approval-1', decision()),
          'decided',
        );
      },
    },
  ),
  ...sentence(
    'REFUSAL-09',
    'An `expectedRevision` that is no whole number and messages that are no array are refused with `LOUSHO_CONFIG_INVALID`.',
    {
      needs: { methods: SESSIONS },
      check: async ({ open }) => {
        const { sessions } = await open();
        for (const expected of [-1, 0.5, Number.NaN, '0', null] as readonly number[]) {
          await promiseRefusal(`a commit on revision ${show(expected)}`, INVALID, () =>
            sessions.saveIf('a', expected, []),
          );
        }
        for (const messages of ['x', null, { 0: user('a') }]) {
          await promiseRefusal(`a transcript ${show(messages)}`, INVALID, () =>
            sessions.saveIf('a', 0, messages as never),
          );
        }
        promiseSame('nothing is stored', await sessions.load('a'), null);
      },
    },
  ),
  ...sentence(
    'REFUSAL-10',
    'A `historyLimit` that is no whole number is refused with `LOUSHO_CONFIG_INVALID` when the store is made.',
    {
      needs: { seams: ['historyLimit'] },
      check: async ({ storage }) => {
        for (const historyLimit of [-1, 1.5, Number.NaN, '5'] as readonly number[]) {
          const make = async () => (await storage({ historyLimit })).open();
          await promiseRefusal(`a store with historyLimit ${show(historyLimit)}`, INVALID, make);
          promise(
            'the error names the option',
            String(await errorOf(make)).includes('historyLimit'),
            await errorOf(make),
          );
        }
      },
    },
  ),
  ...sentence(
    'REFUSAL-11',
    'An `olderThanMs` that is negative or not finite is refused with `LOUSHO_CONFIG_INVALID`.',
    {
      needs: { methods: [...BASIC, 'prune'] },
      check: async ({ open }) => {
        const client = await open();
        await client.checkpoints.save('a', checkpoint({ sessionId: 'a', status: 'finished' }));
        for (const olderThanMs of [
          -1,
          Number.NaN,
          Number.POSITIVE_INFINITY,
          '0',
          undefined,
        ] as readonly number[]) {
          await promiseRefusal(`prune() by the age ${show(olderThanMs)}`, INVALID, () =>
            client.prune({ olderThanMs }),
          );
        }
        promiseSame('nothing is removed', (await client.checkpoints.load('a'))?.status, 'finished');
      },
    },
  ),
];
