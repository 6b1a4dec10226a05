import { promise, promiseRefusal, promiseSame } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, TTL } from '../../world/builders.js';
import { BASIC, FENCED, LEASES } from '../methods.js';
import { BAD_CHECKPOINTS, BAD_LIMITS, INVALID } from './examples.js';

/** What the methods of the checkpoints are called with. */
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
];

const BAD_COUNTS = [-1, 0.5, 2, Number.NaN, '1'] as readonly number[];
