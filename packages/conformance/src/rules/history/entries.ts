import { promise, promiseSame, refusalOf } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, user } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { SHAPES, saved } from '../checkpoint/transcript.js';
import { BASIC, FENCED } from '../methods.js';

const needs = { methods: [...BASIC, 'checkpoints.history'] } as const;

export const historyEntries = [
  ...sentence('HISTORY-01', 'The history of an unknown id is `[]`.', {
    needs,
    check: async ({ open }) => {
      promiseSame('the history of an unknown id', await (await open()).checkpoints.history('nobody'), []);
    },
  }),
  ...sentence(
    'HISTORY-02',
    'Each accepted save is one entry, newest first, with `step`, `savedAt`, `status` and the whole checkpoint.',
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const saves = [
          checkpoint({ stepIndex: 1, status: 'in-progress' }),
          checkpoint({ stepIndex: 2, status: 'awaiting-approval', approvalId: 'approval-1' }),
          checkpoint({ stepIndex: 2, status: 'finished', messages: [user('one'), user('two')] }),
        ];
        for (const save of saves) await checkpoints.save(ID, save);
        const history = await checkpoints.history(ID);
        promiseSame(
          'the checkpoints',
          history.map((entry) => entry.checkpoint),
          [...saves].reverse(),
        );
        promiseSame(
          'the steps',
          history.map(({ step }) => step),
          [2, 2, 1],
        );
        promiseSame(
          'the statuses',
          history.map(({ status }) => status),
          ['finished', 'awaiting-approval', 'in-progress'],
        );
      },
    },
  ),
  ...sentence('HISTORY-03', 'Two saves of one step are two entries.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveSteps(checkpoints, [4, 4]);
      promiseSame('the steps', await stepsOf(checkpoints), [4, 4]);
    },
  }),
  ...sentence('HISTORY-04', 'The entry of a checkpoint without a status says `in-progress`.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.save(ID, checkpoint());
      promiseSame('the entry’s status', (await checkpoints.history(ID))[0]?.status, 'in-progress');
    },
  }),
  ...sentence('HISTORY-05', "`savedAt` is the ISO instant of the save by the store's clock.", {
    needs: { ...needs, clock: ['store', 'host', 'caller', 'observed'], seams: ['clock'] },
    check: async ({ open, advance, clock }) => {
      const { checkpoints } = await open();
      const instants: string[] = [];
      for (const stepIndex of [1, 2, 3]) {
        instants.unshift(new Date(clock.now()).toISOString());
        await checkpoints.save(ID, checkpoint({ stepIndex }));
        await advance(1_000);
      }
      promiseSame(
        'savedAt',
        (await checkpoints.history(ID)).map(({ savedAt }) => savedAt),
        instants,
      );
    },
  }),
  ...sentence(
    'HISTORY-07',
    '`limit` gives the newest so many entries: 0 gives `[]`, more than there are gives all.',
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await saveSteps(checkpoints, [1, 2, 3]);
        promiseSame('with limit 2', await stepsOf(checkpoints, 2), [3, 2]);
        promiseSame('with limit 0', await stepsOf(checkpoints, 0), []);
        promiseSame('with limit 99', await stepsOf(checkpoints, 99), [3, 2, 1]);
      },
    },
  ),
  ...sentence(
    'HISTORY-11',
    'Each entry holds the transcript of its own save, whatever later saves cut, changed or added.',
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const [index, letters] of SHAPES.entries())
          await checkpoints.save(ID, saved(index + 1, letters));
        const kept = (await checkpoints.history(ID)).map((entry) => entry.checkpoint);
        promiseSame('the history', kept, SHAPES.map((letters, index) => saved(index + 1, letters)).reverse());
      },
    },
  ),
  ...sentence('HISTORY-12', "The newest entry's checkpoint equals what `load` gives.", {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      for (let revision = 1; revision <= 12; revision++) {
        await checkpoints.save(ID, saved(revision, 'abcdefgh'.slice(revision % 5)));
        const [newest] = await checkpoints.history(ID);
        promiseSame('the newest entry', newest?.checkpoint, await checkpoints.load(ID));
      }
    },
  }),
  ...sentence('HISTORY-14', 'A save that was refused or fenced adds no entry.', {
    needs: { methods: [...FENCED, 'checkpoints.history'], fencing: ['atomic', 'best-effort'] },
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveSteps(checkpoints, [1]);
      const fenced = await checkpoints.saveIfLeased(ID, checkpoint({ revision: 3 }), 'worker-a');
      promiseSame('a save without a lease', fenced, false);
      const refusal = await refusalOf(() =>
        checkpoints.save(ID, checkpoint({ metadata: { n: Number.NaN } })),
      );
      promise('a save of NaN is refused', refusal === 'LOUSHO_VALUE_INVALID', refusal);
      promiseSame('the steps', await stepsOf(checkpoints), [1]);
    },
  }),
];

export async function saveSteps(checkpoints: Client['checkpoints'], steps: readonly number[]): Promise<void> {
  for (const stepIndex of steps)
    await checkpoints.save(ID, checkpoint({ stepIndex, revision: stepIndex + 1 }));
}

export async function stepsOf(checkpoints: Client['checkpoints'], limit?: number): Promise<number[]> {
  const history = await checkpoints.history(ID, limit === undefined ? undefined : { limit });
  return history.map(({ step }) => step);
}
