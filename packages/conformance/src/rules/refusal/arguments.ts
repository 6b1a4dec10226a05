import { errorOf, promise, promiseRefusal, promiseSame } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, decision, ID, TTL, user } from '../../world/builders.js';
import { APPROVALS, BASIC, FENCED, LEASES, SESSIONS } from '../methods.js';
import { BAD_CHECKPOINTS, BAD_LIMITS } from './examples.js';

/** Rejects with this code what is no valid argument. */
const INVALID = 'LOUSHO_CONFIG_INVALID';

export const refusalArguments = [
  ...sentence(
    'REFUSAL-03',
    'A checkpoint that is no object, has another `sessionId` than the id it is saved under, no array of messages, a `stepIndex` that is no whole number, a `revision` that is no positive integer or an unknown status is refused with `LOUSHO_CONFIG_INVALID`.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const [name, record] of BAD_CHECKPOINTS)
          await promiseRefusal(name, INVALID, () => checkpoints.save(ID, record));
        promiseSame('nothing is stored', await checkpoints.load(ID), null);
      },
    },
    {
      name: 'leased',
      needs: { methods: FENCED },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        for (const [name, record] of BAD_CHECKPOINTS) {
          await promiseRefusal(name, INVALID, () => checkpoints.saveIfLeased(ID, record, 'worker-a'));
        }
        promiseSame('nothing is stored', await checkpoints.load(ID), null);
      },
    },
  ),
  ...sentence(
    'REFUSAL-04',
    '`unchangedMessages` that is no whole number or exceeds the number of messages is refused with `LOUSHO_CONFIG_INVALID`.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const unchangedMessages of BAD_COUNTS) {
          const save = () => checkpoints.save(ID, checkpoint(), { unchangedMessages });
          await promiseRefusal(`vouching for ${show(unchangedMessages)} of one message`, INVALID, save);
        }
        promiseSame('nothing is stored', await checkpoints.load(ID), null);
      },
    },
    {
      name: 'leased',
      needs: { methods: FENCED },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        for (const unchangedMessages of BAD_COUNTS) {
          const save = () => checkpoints.saveIfLeased(ID, checkpoint(), 'worker-a', { unchangedMessages });
          await promiseRefusal(`vouching for ${show(unchangedMessages)} of one message`, INVALID, save);
        }
        promiseSame('nothing is stored', await checkpoints.load(ID), null);
      },
    },
  ),
  ...sentence(
    'REFUSAL-05',
    'An owner that is no string of 1 to 200 characters is refused with `LOUSHO_CONFIG_INVALID`.',
    {
      needs: { methods: FENCED },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const owner of ['', 'x'.repeat(201), 1, null, undefined] as readonly string[]) {
          const calls = {
            acquireLease: () => checkpoints.acquireLease('a', owner, TTL),
            renewLease: () => checkpoints.renewLease('a', owner, TTL),
            releaseLease: () => checkpoints.releaseLease('a', owner),
            saveIfLeased: () => checkpoints.saveIfLeased('a', checkpoint({ sessionId: 'a' }), owner),
          };
          for (const [name, call] of Object.entries(calls)) {
            await promiseRefusal(`${name}() by ${show(owner)}`, INVALID, call);
          }
        }
        const longest = await checkpoints.acquireLease('a', 'x'.repeat(200), TTL);
        promise('an owner of 200 characters is granted the id', longest !== false, longest);
      },
    },
  ),
  ...sentence(
    'REFUSAL-06',
    'A `ttlMs` that is not above 0 and at most a year is refused with `LOUSHO_CONFIG_INVALID`.',
    {
      needs: { methods: LEASES },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const ttlMs of [
          0,
          -1,
          Number.NaN,
          Number.POSITIVE_INFINITY,
          2 ** 53,
          '1000',
          undefined,
        ] as readonly number[]) {
          const acquire = () => checkpoints.acquireLease('a', 'worker-a', ttlMs);
          await promiseRefusal(`acquireLease() for ${show(ttlMs)} ms`, INVALID, acquire);
          const renew = () => checkpoints.renewLease('a', 'worker-a', ttlMs);
          await promiseRefusal(`renewLease() for ${show(ttlMs)} ms`, INVALID, renew);
        }
        const answer = await checkpoints.acquireLease('a', 'worker-b', TTL);
        promise('the id is free', answer !== false, answer);
      },
    },
  ),
  ...sentence(
    'REFUSAL-07',
    'A `limit` that is no whole number, an `after` that is no string and an unknown `status` are refused with `LOUSHO_CONFIG_INVALID`.',
    {
      needs: { methods: ['checkpoints.list'] },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const limit of BAD_LIMITS) {
          await promiseRefusal(`list() with limit ${show(limit)}`, INVALID, () =>
            checkpoints.list({ limit }),
          );
        }
        await promiseRefusal('list() after 1', INVALID, () => checkpoints.list({ after: 1 as never }));
        await promiseRefusal('list() of status done', INVALID, () =>
          checkpoints.list({ status: 'done' as never }),
        );
      },
    },
    {
      name: 'history',
      needs: { methods: ['checkpoints.history'] },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const limit of BAD_LIMITS) {
          await promiseRefusal(`history() with limit ${show(limit)}`, INVALID, () =>
            checkpoints.history(ID, { limit }),
          );
        }
      },
    },
    {
      name: 'pending',
      needs: { methods: ['checkpoints.listPending'] },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const limit of BAD_LIMITS) {
          await promiseRefusal(`listPending() with limit ${show(limit)}`, INVALID, () =>
            checkpoints.listPending({ limit }),
          );
        }
        await promiseRefusal('listPending() after 1', INVALID, () =>
          checkpoints.listPending({ after: 1 as never }),
        );
      },
    },
  ),
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

const BAD_COUNTS = [-1, 0.5, 2, Number.NaN, '1'] as readonly number[];
