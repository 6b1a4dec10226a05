import type { Checkpoint } from '@lousho/core/contract';
import { promise, promiseGranted, promiseRefusal, promiseSame } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { ALL_CHECKPOINTS, BASIC } from '../methods.js';

/** Where runs have no leases, there is that much to forget. */
const unleased = {
  methods: [...BASIC, 'checkpoints.list', 'checkpoints.history', 'prune'],
  seams: ['clock'],
} as const;
const needs = { methods: [...ALL_CHECKPOINTS, 'prune'], seams: ['clock'] } as const;
export const DAY = 86_400_000;
export const NOTHING = { checkpoints: 0, approvals: 0, sessions: 0 };

export const pruneCheckpoints = [
  ...sentence(
    'PRUNE-01',
    '`prune` removes finished checkpoints that were saved more than `olderThanMs` ago, with their history, and says how many.',
    {
      needs: unleased,
      check: async ({ open, advance }) => {
        const [client, other] = [await open(), await open()];
        await saveFinished(client, 'older');
        await advance(DAY + 1);
        await saveFinished(client, 'young');
        promiseSame('it says', await other.prune({ olderThanMs: DAY }), { ...NOTHING, checkpoints: 1 });
        promiseSame('the listed ids', await idsOf(client), ['young']);
        promiseSame('the pruned one loads as', await client.checkpoints.load('older'), null);
        promiseSame('its history', await client.checkpoints.history('older'), []);
      },
    },
    {
      name: 'age-0',
      needs: unleased,
      check: async ({ open, advance }) => {
        const client = await open();
        for (const id of ['a', 'b']) await saveFinished(client, id);
        await advance(1);
        await saveFinished(client, 'now');
        promiseSame('it says', await client.prune({ olderThanMs: 0 }), { ...NOTHING, checkpoints: 2 });
        promiseSame('the listed ids', await idsOf(client), ['now']);
      },
    },
  ),
  ...sentence('PRUNE-02', 'What was saved exactly `olderThanMs` ago or later stays.', {
    needs: unleased,
    check: async ({ open, advance }) => {
      const client = await open();
      await saveFinished(client, 'saved-again', { revision: 1 });
      await advance(DAY);
      await saveFinished(client, 'saved-again', { revision: 2 });
      await saveFinished(client, 'at-the-cutoff');
      await advance(DAY);
      promiseSame('it says', await client.prune({ olderThanMs: DAY }), NOTHING);
      promiseSame('the listed ids', await idsOf(client), ['at-the-cutoff', 'saved-again']);
      promiseSame('the history is kept', (await client.checkpoints.history('saved-again')).length, 2);
    },
  }),
  ...sentence(
    'PRUNE-03',
    'A checkpoint in progress or awaiting an approval stays, with its history, however old.',
    {
      needs: unleased,
      check: async ({ open, advance }) => {
        const client = await open();
        await client.checkpoints.save('old-data', checkpoint({ sessionId: 'old-data' }));
        await saveFinished(client, 'paused', { status: 'awaiting-approval' });
        await saveFinished(client, 'running');
        await saveFinished(client, 'running', { status: 'in-progress' });
        await advance(365 * DAY);
        promiseSame('it says', await client.prune({ olderThanMs: DAY }), NOTHING);
        promiseSame('the listed ids', await idsOf(client), ['old-data', 'paused', 'running']);
        promiseSame('the history is kept', (await client.checkpoints.history('running')).length, 2);
      },
    },
  ),
  ...sentence(
    'PRUNE-04',
    'A checkpoint whose id has a live lease stays; an expired lease keeps nothing, and ends with the checkpoint that is removed.',
    {
      needs,
      check: async ({ open, advance }) => {
        const client = await open();
        const { checkpoints } = client;
        await saveFinished(client, 'a');
        await advance(2 * DAY);
        await checkpoints.acquireLease('a', 'worker-a', TTL);
        promiseSame('beside a live lease it says', await client.prune({ olderThanMs: DAY }), NOTHING);
        promiseSame('the holder renews', await checkpoints.renewLease('a', 'worker-a', TTL), true);
        await checkpoints.releaseLease('a', 'worker-a');
        const removed = await client.prune({ olderThanMs: DAY });
        promiseSame('after the release it says', removed, { ...NOTHING, checkpoints: 1 });
      },
    },
    {
      name: 'expired',
      needs,
      under: 'fault',
      check: async ({ open, advance }) => {
        const client = await open();
        const { checkpoints } = client;
        await checkpoints.acquireLease('a', 'worker-a', TTL);
        const finished = checkpoint({ sessionId: 'a', revision: 1, status: 'finished' });
        await checkpoints.saveIfLeased('a', finished, 'worker-a');
        await advance(2 * DAY);
        promiseSame('it says', await client.prune({ olderThanMs: DAY }), { ...NOTHING, checkpoints: 1 });
        const late = await checkpoints.saveIfLeased('a', { ...finished, revision: 2 }, 'worker-a');
        promiseSame('the former holder’s save', late, false);
        promiseSame('the pruned one loads as', await checkpoints.load('a'), null);
      },
    },
  ),
  ...sentence(
    'PRUNE-10',
    'A history whose checkpoint was deleted is removed once it is older than `olderThanMs`.',
    {
      needs: unleased,
      check: async ({ open, advance }) => {
        const client = await open();
        await saveFinished(client, 'a');
        await client.checkpoints.delete('a', { keepHistory: true });
        await advance(DAY);
        await client.prune({ olderThanMs: DAY });
        promiseSame('at the age its entries are', (await client.checkpoints.history('a')).length, 1);
        await advance(1);
        await client.prune({ olderThanMs: DAY });
        promiseSame('above the age its entries are', (await client.checkpoints.history('a')).length, 0);
      },
    },
  ),
  ...sentence('PRUNE-11', 'A prune ends no lease that is live, and a pruned id can be used again.', {
    needs,
    check: async ({ open, advance }) => {
      const client = await open();
      const { checkpoints } = client;
      await saveFinished(client, 'a', { revision: 7 });
      await checkpoints.acquireLease('b', 'worker-b', 10 * DAY);
      await advance(2 * DAY);
      await client.prune({ olderThanMs: DAY });
      promiseSame(
        'the live lease is granted to another',
        await checkpoints.acquireLease('b', 'worker-c', TTL),
        false,
      );
      promiseGranted('the pruned id is granted', await checkpoints.acquireLease('a', 'worker-a', TTL));
      const anew = checkpoint({ sessionId: 'a', revision: 1 });
      const answer = await checkpoints.saveIfLeased('a', anew, 'worker-a', { unchangedMessages: 1 });
      promise('a save under it is stored', answer, answer);
      promiseSame('it loads as', await checkpoints.load('a'), anew);
      promiseSame('its history has entries', (await checkpoints.history('a')).length, 1);
    },
  }),
  ...sentence(
    'PRUNE-13',
    "`status: 'finished'` says what a prune takes anyway: with it, the same is removed as without.",
    {
      needs: unleased,
      check: async ({ open, advance }) => {
        const client = await open();
        await saveOneOfEach(client);
        await advance(DAY + 1);
        await saveFinished(client, 'young');
        const removed = await client.prune({ olderThanMs: DAY, status: 'finished' });
        promiseSame('it says', removed, { ...NOTHING, checkpoints: 1 });
        promiseSame('the listed ids', await idsOf(client), ['paused', 'running', 'young']);
      },
    },
  ),
  ...sentence(
    'PRUNE-14',
    'A prune that is asked for any other status is refused with `LOUSHO_CONFIG_INVALID`, and removes nothing, not even what is finished.',
    {
      needs: unleased,
      check: async ({ open, advance }) => {
        const client = await open();
        await saveOneOfEach(client);
        await advance(365 * DAY);
        for (const status of NOT_OVER) {
          await promiseRefusal(`prune() by the status ${show(status)}`, 'LOUSHO_CONFIG_INVALID', () =>
            client.prune({ olderThanMs: 0, status: status as 'finished' }),
          );
        }
        promiseSame('the listed ids', await idsOf(client), ['finished', 'paused', 'running']);
        promiseSame('a history is kept', (await client.checkpoints.history('finished')).length, 1);
      },
    },
  ),
];

/** Also what a caller without types may pass. */
const NOT_OVER: readonly unknown[] = [
  'in-progress',
  'awaiting-approval',
  ['finished', 'in-progress'],
  'Finished',
  '',
  null,
];

async function saveOneOfEach(client: Client): Promise<void> {
  await saveFinished(client, 'finished');
  await saveFinished(client, 'paused', { status: 'awaiting-approval' });
  await saveFinished(client, 'running', { status: 'in-progress' });
}

export async function saveFinished(
  { checkpoints }: Client,
  sessionId: string,
  fields: Partial<Checkpoint> = {},
): Promise<void> {
  await checkpoints.save(sessionId, checkpoint({ sessionId, status: 'finished', ...fields }));
}

async function idsOf({ checkpoints }: Client): Promise<string[]> {
  return (await checkpoints.list()).map(({ sessionId }) => sessionId);
}
