import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, messages, TTL, user } from '../../world/builders.js';
import { everything } from '../everything.js';
import { HOLDER } from './holder-needs.js';

/** Who may save, and when that ends. */
export const fenceHolder = [
  ...sentence('FENCE-01', '`saveIfLeased` by the holder answers `true` and stores.', {
    needs: HOLDER,
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
      needs: HOLDER,
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
    needs: { ...HOLDER, seams: ['clock'] },
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
      needs: { ...HOLDER, seams: ['clock'] },
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
      needs: { ...HOLDER, seams: ['clock'] },
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
    needs: HOLDER,
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
      needs: HOLDER,
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
  ...sentence('FENCE-11', 'Vouching for messages works in a fenced save as in a plain one.', {
    needs: HOLDER,
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
