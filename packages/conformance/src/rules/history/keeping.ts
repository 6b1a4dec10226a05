import type { Checkpoint } from '@lousho/core/contract';
import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, user } from '../../world/builders.js';
import { saved, sharedStart } from '../checkpoint/transcript.js';
import { BASIC, FENCED } from '../methods.js';
import { saveSteps, stepsOf } from './entries.js';

const needs = { methods: [...BASIC, 'checkpoints.history'] } as const;
const limited = { ...needs, seams: ['historyLimit'] } as const;

export const historyKeeping = [
  ...sentence(
    'HISTORY-06',
    'The newest `historyLimit` entries are kept, 50 by default.',
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await saveSteps(
          checkpoints,
          Array.from({ length: 55 }, (_, index) => index),
        );
        promiseSame(
          'the steps',
          await stepsOf(checkpoints),
          Array.from({ length: 50 }, (_, index) => 54 - index),
        );
      },
    },
    {
      name: 'limited',
      needs: limited,
      check: async ({ storage }) => {
        const { checkpoints } = await (await storage({ historyLimit: 3 })).open();
        await saveSteps(checkpoints, [0, 1, 2, 3, 4]);
        promiseSame('the steps', await stepsOf(checkpoints), [4, 3, 2]);
      },
    },
    {
      name: 'per-id',
      needs: limited,
      check: async ({ storage }) => {
        const { checkpoints } = await (await storage({ historyLimit: 3 })).open();
        await saveSteps(checkpoints, [0, 1, 2]);
        for (const revision of [1, 2, 3, 4])
          await checkpoints.save('other', checkpoint({ sessionId: 'other', revision }));
        promiseSame('the steps beside another id’s saves', await stepsOf(checkpoints), [2, 1, 0]);
      },
    },
    {
      name: 'any-sequence',
      // Hundreds of calls, one after the other.
      timeLimitMs: 90_000,
      needs: limited,
      check: async ({ storage, random }) => {
        const { checkpoints } = await (await storage({ historyLimit: 3 })).open();
        for (let round = 0; round < 10; round++) {
          const sessionId = `run-${round}`;
          const kept: Checkpoint[] = [];
          let before: Checkpoint | null = null;
          for (let revision = 1; revision <= 12; revision++) {
            if (random.chance(0.1)) {
              await checkpoints.delete(sessionId, { keepHistory: true });
              before = null;
            }
            const letters = random.list(6, () => random.pick(['a', 'b'])).join('');
            const next: Checkpoint = { ...saved(revision, letters), sessionId };
            const unchangedMessages = random.chance(0.5) ? sharedStart(before, next) : 0;
            await checkpoints.save(sessionId, next, { unchangedMessages });
            kept.unshift(next);
            before = next;
          }
          const history = await checkpoints.history(sessionId);
          promiseSame(
            'the kept saves',
            history.map((entry) => entry.checkpoint),
            kept.slice(0, 3),
          );
        }
      },
    },
  ),
  ...sentence('HISTORY-08', 'With `historyLimit: 0` the history is `[]` and everything else works.', {
    needs: limited,
    check: async ({ storage }) => {
      const { checkpoints } = await (await storage({ historyLimit: 0 })).open();
      await saveSteps(checkpoints, [1, 2]);
      const last = checkpoint({ revision: 4, messages: [user('Refund order 42'), user('again')] });
      await checkpoints.save(ID, last, { unchangedMessages: 1 });
      promiseSame('the history', await checkpoints.history(ID), []);
      promiseSame('load gives', await checkpoints.load(ID), last);
      await checkpoints.delete(ID, { keepHistory: true });
      promiseSame('the deleted id loads as', await checkpoints.load(ID), null);
    },
  }),
  ...sentence('HISTORY-09', '`delete` removes the history.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveSteps(checkpoints, [1, 2]);
      await checkpoints.delete(ID);
      promiseSame('the steps', await stepsOf(checkpoints), []);
      await saveSteps(checkpoints, [0]);
      promiseSame('the steps after a new save', await stepsOf(checkpoints), [0]);
    },
  }),
  ...sentence('HISTORY-10', '`delete` with `keepHistory` keeps it, and later saves add to it.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await saveSteps(checkpoints, [0, 1, 2]);
      await checkpoints.delete(ID, { keepHistory: true });
      promiseSame('the steps', await stepsOf(checkpoints), [2, 1, 0]);
      await saveSteps(checkpoints, [0, 1]);
      promiseSame('the steps after new saves', await stepsOf(checkpoints), [1, 0, 2, 1, 0]);
      await checkpoints.delete(ID, { keepHistory: true });
      await checkpoints.delete(ID);
      promiseSame('after a plain delete', await stepsOf(checkpoints), []);
    },
  }),
  ...sentence(
    'HISTORY-13',
    'The revisions of the entries of one run are consecutive: nothing between the newest and the oldest entry is missing.',
    {
      needs: limited,
      check: async ({ storage }) => {
        const { checkpoints } = await (await storage({ historyLimit: 5 })).open();
        for (let revision = 1; revision <= 12; revision++) {
          await checkpoints.save(ID, checkpoint({ revision }));
          const revisions = (await checkpoints.history(ID)).map((entry) => entry.checkpoint.revision);
          promiseSame(
            'the kept revisions',
            revisions,
            Array.from({ length: Math.min(5, revision) }, (_, index) => revision - index),
          );
        }
      },
    },
    {
      name: 'beside-writers',
      needs: {
        ...limited,
        methods: [...FENCED, 'checkpoints.history'],
        fencing: ['atomic'],
        reads: ['latest'],
      },
      under: 'concurrency',
      check: async ({ storage }) => {
        const own = await storage({ historyLimit: 3 });
        const [a, b, reader] = [await own.open(), await own.open(), await own.open()];
        let isWriting = true;
        const writing = (async () => {
          for (let revision = 1; revision <= 20; revision++) {
            const [client, owner] = revision % 2 ? [a, 'worker-a'] : [b, 'worker-b'];
            await client.checkpoints.acquireLease(ID, owner, 1_000);
            const answer = await client.checkpoints.saveIfLeased(ID, checkpoint({ revision }), owner);
            promiseSame('the holder’s save', answer, true);
            await client.checkpoints.releaseLease(ID, owner);
          }
        })();
        const done = writing.finally(() => {
          isWriting = false;
        });
        void done.catch(() => {});
        while (isWriting) {
          const revisions = (await reader.checkpoints.history(ID)).map(
            (entry) => entry.checkpoint.revision ?? 0,
          );
          const [newest = 0] = revisions;
          const whole = Array.from({ length: Math.min(3, newest) }, (_, index) => newest - index);
          promise(
            'a reader sees consecutive revisions, as many as are kept',
            String(revisions) === String(whole),
            revisions,
          );
          await new Promise<void>((resolve) => setImmediate(resolve));
        }
        await writing;
      },
    },
  ),
];
