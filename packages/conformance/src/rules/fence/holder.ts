import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, messages, TTL, user } from '../../world/builders.js';
import { everything } from '../everything.js';
import { FENCED } from '../methods.js';

/** Bind as long as no two owners act at the same moment. */
const needs = { methods: FENCED, fencing: ['atomic', 'best-effort'] } as const;

export const fenceHolder = [
  ...sentence('FENCE-01', '`saveIfLeased` by the holder answers `true` and stores.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      promiseSame(
        'the holder’s save',
        await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a'),
        true,
      );
      promiseSame('load gives', await checkpoints.load(ID), checkpoint({ revision: 1 }));
    },
  }),
  ...sentence(
    'FENCE-02',
    'By anybody else, or when the id is not leased, it answers `false` and changes nothing: not the checkpoint, not the history, not a listing, not the lease.',
    {
      needs,
      check: async ({ open }) => {
        const [store, other] = [await open(), await open()];
        const stray = checkpoint({
          revision: 2,
          stepIndex: 9,
          status: 'finished',
          messages: messages('stray'),
        });
        const unleased = await everything(store);
        promiseSame(
          'a save without a lease',
          await store.checkpoints.saveIfLeased(ID, stray, 'worker-b'),
          false,
        );
        promiseSame('everything is as it was', await everything(store), unleased);
        await store.checkpoints.acquireLease(ID, 'worker-a', TTL);
        await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
        const before = await everything(store);
        for (const owner of ['worker-b', 'worker-', 'worker-a2', 'WORKER-A']) {
          promiseSame(`a save by ${owner}`, await store.checkpoints.saveIfLeased(ID, stray, owner), false);
          promiseSame(
            `a save by ${owner} by another client`,
            await other.checkpoints.saveIfLeased(ID, stray, owner),
            false,
          );
        }
        promiseSame('everything is as it was', await everything(store), before);
        promiseSame('everything is as it was for the other client', await everything(other), before);
      },
    },
  ),
  ...sentence('FENCE-03', 'A holder past its expiry that nobody has replaced still saves.', {
    needs: { ...needs, seams: ['clock'] },
    under: 'fault',
    check: async ({ open, advance, claims }) => {
      const { checkpoints } = await open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      await advance(TTL + claims.graceMs + 60_000);
      const late = await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      promiseSame('the late holder’s save', late, true);
      promiseSame('load gives revision', (await checkpoints.load(ID))?.revision, 1);
    },
  }),
  ...sentence(
    'FENCE-04',
    'A holder that was replaced never saves again, whatever revision it passes.',
    {
      needs: { ...needs, seams: ['clock'] },
      under: 'fault',
      check: async ({ storage, advance, claims }) => {
        for (const revision of [1, 2, 3, 4, undefined]) {
          const own = await storage();
          const [store, other] = [await own.open(), await own.open()];
          await store.checkpoints.acquireLease(ID, 'zz-worker-a', TTL);
          for (const r of [1, 2])
            await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: r }), 'zz-worker-a');
          await advance(TTL + claims.graceMs);
          promiseGranted('the rival takes it', await other.checkpoints.acquireLease(ID, 'worker-b', TTL));
          const save = await other.checkpoints.saveIfLeased(ID, checkpoint({ revision: 3 }), 'worker-b');
          promiseSame('the rival’s save', save, true);
          const before = await everything(other);
          const late = checkpoint({
            ...(revision && { revision }),
            stepIndex: 9,
            messages: messages('late'),
          });
          const options = { unchangedMessages: 1 };
          const answer = await store.checkpoints.saveIfLeased(ID, late, 'zz-worker-a', options);
          promiseSame(`the replaced holder’s save at revision ${revision}`, answer, false);
          promiseSame('everything is as it was', await everything(store), before);
        }
      },
    },
    {
      name: 'rival-saved-nothing',
      needs: { ...needs, seams: ['clock'] },
      under: 'fault',
      check: async ({ open, advance, claims }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        await a.acquireLease(ID, 'worker-a', TTL);
        await a.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
        await advance(TTL + claims.graceMs);
        await b.acquireLease(ID, 'worker-b', TTL);
        promiseSame(
          'the replaced holder saves',
          await a.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a'),
          false,
        );
        await b.releaseLease(ID, 'worker-b');
        const late = await a.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a');
        promiseSame('after its successor’s release it saves', late, false);
        promiseSame('load gives revision', (await b.load(ID))?.revision, 1);
      },
    },
  ),
  ...sentence('FENCE-05', "After a release the former holder's save answers `false`.", {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      await checkpoints.releaseLease(ID, 'worker-a');
      const late = await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      promiseSame('a save after the release', late, false);
      promiseSame('load gives', await checkpoints.load(ID), null);
    },
  }),
  ...sentence(
    'FENCE-06',
    "After a delete the former holder's save answers `false`, and the id stays deleted.",
    {
      needs,
      check: async ({ storage }) => {
        for (const keepHistory of [false, true]) {
          const own = await storage();
          const [a, other] = [(await own.open()).checkpoints, await own.open()];
          await a.acquireLease(ID, 'worker-a', TTL);
          await a.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
          await other.checkpoints.delete(ID, { keepHistory });
          const before = await everything(other);
          for (const revision of [1, 2]) {
            const late = checkpoint({ revision, messages: [user('Refund order 42'), user('late')] });
            const answer = await a.saveIfLeased(ID, late, 'worker-a', { unchangedMessages: 1 });
            promiseSame(`the former holder’s save at revision ${revision}`, answer, false);
          }
          promiseSame('load gives', await other.checkpoints.load(ID), null);
          promiseSame('everything is as the delete left it', await everything(other), before);
        }
      },
    },
  ),
  ...sentence(
    'FENCE-07',
    'Repeating a save at the same revision under the same lease answers `true`, stores nothing and adds no entry.',
    {
      needs: { ...needs, methods: [...FENCED, 'checkpoints.history'] },
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
      needs,
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
      needs,
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
      needs,
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
    needs: { ...needs, methods: [...FENCED, 'checkpoints.history'] },
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
  ...sentence('FENCE-11', 'Vouching for messages works in a fenced save as in a plain one.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1, messages: messages('a') }), 'worker-a');
      const second = checkpoint({ revision: 2, messages: messages('ab') });
      const answer = await checkpoints.saveIfLeased(ID, second, 'worker-a', { unchangedMessages: 1 });
      promise('the save is stored', answer, answer);
      promiseSame('load gives', await checkpoints.load(ID), second);
      const jumped = checkpoint({ revision: 5, messages: messages('xyz') });
      await checkpoints.saveIfLeased(ID, jumped, 'worker-a', { unchangedMessages: 2 });
      promiseSame(
        'after a save that continues nothing stored, load gives',
        await checkpoints.load(ID),
        jumped,
      );
    },
  }),
];
