import { promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, messages, TTL, user } from '../../world/builders.js';
import { everything } from '../everything.js';
import { FENCED } from '../methods.js';
import { HOLDER } from './holder-needs.js';

/** Saves that come a second time, and those that only look like it. */
export const fenceRepetitions = [
  ...sentence(
    'FENCE-07',
    'Repeating a save at the same revision under the same lease answers `true`, stores nothing and adds no entry.',
    {
      needs: { ...HOLDER, methods: [...FENCED, 'checkpoints.history'] },
      under: 'fault',
      check: async ({ open }) => {
        const client = await open();
        const { checkpoints } = client;
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
        const second = checkpoint({ revision: 2, messages: [user('Refund order 42'), user('done')] });
        await checkpoints.saveIfLeased(ID, second, 'worker-a', { unchangedMessages: 1 });
        promiseSame('the history has entries', (await checkpoints.history(ID)).length, 2);
        const before = await everything(client);
        const again = await checkpoints.saveIfLeased(ID, second, 'worker-a', { unchangedMessages: 1 });
        promiseSame('the save sent again', again, true);
        promiseSame('sent again in full', await checkpoints.saveIfLeased(ID, second, 'worker-a'), true);
        promiseSame('everything is as it was', await everything(client), before);
        promiseSame('the holder renews', await checkpoints.renewLease(ID, 'worker-a', TTL), true);
        promiseSame(
          'sent again after a renewal',
          await checkpoints.saveIfLeased(ID, second, 'worker-a'),
          true,
        );
        promiseSame('the history has entries', (await checkpoints.history(ID)).length, 2);
      },
    },
  ),
  ...sentence(
    'FENCE-08',
    'The same holds for a save that arrives again after later revisions that were saved under this lease: the later one stays.',
    {
      needs: HOLDER,
      under: 'fault',
      check: async ({ open }) => {
        const client = await open();
        const { checkpoints } = client;
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        const saves = [1, 2, 3].map((revision) => checkpoint({ revision, stepIndex: revision }));
        for (const save of saves) await checkpoints.saveIfLeased(ID, save, 'worker-a');
        const before = await everything(client);
        for (const save of saves.slice(0, 2)) {
          const again = await checkpoints.saveIfLeased(ID, save, 'worker-a');
          promiseSame(`revision ${save.revision} that arrives after revision 3`, again, true);
        }
        promiseSame('everything is as it was', await everything(client), before);
      },
    },
  ),
  ...sentence(
    'FENCE-09',
    'A save at a revision that another owner stored is no repetition: it is stored.',
    {
      needs: HOLDER,
      check: async ({ open }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        await a.acquireLease(ID, 'worker-a', TTL);
        await a.saveIfLeased(ID, checkpoint({ revision: 1, stepIndex: 1 }), 'worker-a');
        await a.releaseLease(ID, 'worker-a');
        await b.acquireLease(ID, 'worker-b', TTL);
        const own = checkpoint({ revision: 1, stepIndex: 2, messages: messages('b') });
        promiseSame(
          'the new holder’s save at the same revision',
          await b.saveIfLeased(ID, own, 'worker-b'),
          true,
        );
        promiseSame('load gives', await b.load(ID), own);
      },
    },
    {
      name: 'plain-save',
      needs: HOLDER,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await checkpoints.save(ID, checkpoint({ revision: 1, stepIndex: 1 }));
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        const own = checkpoint({ revision: 1, stepIndex: 2 });
        promiseSame(
          'the holder’s save at the plain save’s revision',
          await checkpoints.saveIfLeased(ID, own, 'worker-a'),
          true,
        );
        promiseSame('load gives', await checkpoints.load(ID), own);
      },
    },
  ),
  ...sentence('FENCE-10', 'Checkpoints without a revision are never taken for repetitions.', {
    needs: { ...HOLDER, methods: [...FENCED, 'checkpoints.history'] },
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      for (const stepIndex of [1, 1, 2]) {
        promiseSame(
          'a save without a revision',
          await checkpoints.saveIfLeased(ID, checkpoint({ stepIndex }), 'worker-a'),
          true,
        );
      }
      promiseSame(
        'the steps of the history',
        (await checkpoints.history(ID)).map(({ step }) => step),
        [2, 1, 1],
      );
    },
  }),
];
