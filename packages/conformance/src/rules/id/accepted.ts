import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, TTL, user } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { APPROVALS, BASIC, FENCED, LEASES, SESSIONS } from '../methods.js';
import { GOOD_IDS, SPECIAL_IDS } from './examples.js';

export const idAccepted = [
  ...sentence(
    'ID-01',
    'An id of 1 to 240 letters, digits, `_`, `-` and `.`, with no dot at either end, is accepted for checkpoints, leases and transcripts.',
    { needs: { methods: BASIC }, check: async ({ open }) => promiseCheckpoints(await open(), GOOD_IDS) },
    {
      name: 'leases',
      needs: { methods: FENCED },
      check: async ({ open }) => promiseLeases(await open(), GOOD_IDS),
    },
    {
      name: 'sessions',
      needs: { methods: SESSIONS },
      check: async ({ open }) => promiseSessions(await open(), GOOD_IDS),
    },
  ),
  ...sentence(
    'ID-04',
    'An id that a file system would treat specially, such as `con`, `nul`, `aux.x` or `a.json`, works like any other.',
    { needs: { methods: BASIC }, check: async ({ open }) => promiseCheckpoints(await open(), SPECIAL_IDS) },
    {
      name: 'leases',
      needs: { methods: FENCED },
      check: async ({ open }) => promiseLeases(await open(), SPECIAL_IDS),
    },
    {
      name: 'sessions',
      needs: { methods: SESSIONS },
      check: async ({ open }) => promiseSessions(await open(), SPECIAL_IDS),
    },
  ),
  ...sentence(
    'ID-03',
    'Ids that differ only in case name different records.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const ids = ['Alice', 'alice', 'ALICE', 'aLICE'];
        for (const [stepIndex, id] of ids.entries())
          await checkpoints.save(id, checkpoint({ sessionId: id, stepIndex }));
        const steps = await Promise.all(ids.map(async (id) => (await checkpoints.load(id))?.stepIndex));
        promiseSame('each loads its own step', steps, [0, 1, 2, 3]);
      },
    },
    {
      name: 'leases',
      needs: { methods: LEASES },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        promiseGranted('`Alice` is granted', await checkpoints.acquireLease('Alice', 'worker-a', TTL));
        promiseGranted('`alice` is granted', await checkpoints.acquireLease('alice', 'worker-b', TTL));
      },
    },
    {
      name: 'approvals',
      needs: { methods: APPROVALS },
      check: async ({ open }) => {
        const { approvals } = await open();
        await approvals.save(approval({ id: 'Alice', args: 1 }), {});
        await approvals.save(approval({ id: 'alice', args: 2 }), {});
        promiseSame('the arguments of `Alice`', (await approvals.load('Alice'))?.approval.args, 1);
        promiseSame('the arguments of `alice`', (await approvals.load('alice'))?.approval.args, 2);
      },
    },
    {
      name: 'sessions',
      needs: { methods: SESSIONS },
      check: async ({ open }) => {
        const { sessions } = await open();
        await sessions.saveIf('Alice', 0, [user('one')]);
        promiseSame('`alice` loads as', await sessions.load('alice'), null);
      },
    },
  ),
  ...sentence(
    'ID-05',
    'An id that is the beginning of another, such as `a` of `a.turn-1`, names a record of its own.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const others = ['a.turn-1', 'a-b', 'ab', 'aa'];
        for (const id of ['a', ...others]) await checkpoints.save(id, checkpoint({ sessionId: id }));
        await checkpoints.delete('a');
        promiseSame('the deleted `a` loads as', await checkpoints.load('a'), null);
        for (const id of others)
          promiseSame(`\`${id}\` is there`, await checkpoints.load(id), checkpoint({ sessionId: id }));
      },
    },
  ),
  ...sentence(
    'ID-06',
    'The checkpoint, the approval and the transcript of one id are independent of each other.',
    {
      needs: { methods: [...BASIC, ...APPROVALS, ...SESSIONS] },
      check: async ({ open }) => {
        const { approvals, checkpoints, sessions } = await open();
        await checkpoints.save('same', checkpoint({ sessionId: 'same' }));
        await approvals.save(approval({ id: 'same' }), {});
        await sessions.saveIf('same', 0, [user('hello')]);
        await checkpoints.delete('same');
        const left = await approvals.load('same');
        promise('after a delete of the checkpoint the approval is there', left !== null, left);
        await approvals.delete('same');
        const transcript = (await sessions.load('same'))?.messages;
        promiseSame('after both deletes the transcript is', transcript, [user('hello')]);
      },
    },
  ),
];

async function promiseCheckpoints({ checkpoints }: Client, ids: readonly string[]): Promise<void> {
  for (const id of ids) await checkpoints.save(id, checkpoint({ sessionId: id, businessState: id }));
  for (const id of ids) {
    promiseSame(
      `\`${id}\` loads as`,
      await checkpoints.load(id),
      checkpoint({ sessionId: id, businessState: id }),
    );
  }
  for (const id of ids) await checkpoints.delete(id);
  for (const id of ids) promiseSame(`the deleted \`${id}\` loads as`, await checkpoints.load(id), null);
}

async function promiseLeases({ checkpoints }: Client, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    promiseGranted(`\`${id}\` is granted`, await checkpoints.acquireLease(id, 'worker-a', TTL));
    promiseSame(`\`${id}\` is renewed`, await checkpoints.renewLease(id, 'worker-a', TTL), true);
    const save = await checkpoints.saveIfLeased(id, checkpoint({ sessionId: id }), 'worker-a');
    promiseSame(`\`${id}\` is saved`, save, true);
  }
}

async function promiseSessions({ sessions }: Client, ids: readonly string[]): Promise<void> {
  for (const id of ids) promiseSame(`\`${id}\` is stored`, await sessions.saveIf(id, 0, [user(id)]), true);
  for (const id of ids) promiseSame(`\`${id}\` holds`, (await sessions.load(id))?.messages, [user(id)]);
}
