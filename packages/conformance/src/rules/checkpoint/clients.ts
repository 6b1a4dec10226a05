import { promise, promiseSame, refusalOf } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, user } from '../../world/builders.js';
import { BASIC } from '../methods.js';
import { whileRunning } from '../while-running.js';

export const checkpointClients = [
  ...sentence(
    'CHECKPOINT-14',
    "With `reads: 'latest'`, a load through any client sees every save that was acknowledged before it began.",
    {
      needs: { methods: BASIC, reads: ['latest'] },
      check: async ({ open }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        for (const revision of [1, 2, 3, 4]) {
          const [writer, reader] = revision % 2 ? [a, b] : [b, a];
          await writer.save(ID, checkpoint({ revision }));
          promiseSame('the other client loads revision', (await reader.load(ID))?.revision, revision);
        }
        await a.delete(ID);
        promiseSame('after a delete the other client loads', await b.load(ID), null);
      },
    },
    {
      name: 'in-flight',
      needs: { methods: BASIC, reads: ['latest'] },
      under: 'concurrency',
      check: async ({ open }) => {
        const [writer, reader] = [(await open()).checkpoints, (await open()).checkpoints];
        let acknowledged = 0;
        const writing = (async () => {
          for (let revision = 1; revision <= 30; revision++) {
            await writer.save(
              ID,
              checkpoint({ revision, messages: [user(`${revision}`)], businessState: revision }),
            );
            acknowledged = revision;
          }
        })();
        await whileRunning(writing, async () => {
          const least = acknowledged;
          const loaded = await reader.load(ID);
          const seen = loaded?.revision ?? 0;
          promise(
            `a load after revision ${least} was acknowledged sees it or a later one`,
            seen >= least,
            `revision ${seen}`,
          );
          const isWhole =
            !loaded || (loaded.businessState === seen && loaded.messages[0]?.content === `${seen}`);
          promise('what is loaded is one save, whole', isWhole, show(loaded));
        });
      },
    },
    {
      name: 'processes',
      tier: 1,
      needs: {
        methods: [...BASIC, 'checkpoints.history'],
        reads: ['latest'],
        reach: ['host', 'network'],
        seams: ['processes'],
      },
      check: async ({ elsewhere }) => {
        const [a, b] = await Promise.all([elsewhere(), elsewhere()]);
        for (let revision = 1; revision <= 10; revision++) {
          const [writer, reader] = revision % 2 ? [a, b] : [b, a];
          const saved = checkpoint({ revision, businessState: new Uint8Array([revision]) });
          await writer.checkpoints.save(ID, saved);
          promiseSame('the other process loads', await reader.checkpoints.load(ID), saved);
          promiseSame('its history holds', (await reader.checkpoints.history(ID)).length, revision);
        }
        await a.checkpoints.delete(ID);
        promiseSame('after a delete the other process loads', await b.checkpoints.load(ID), null);
      },
    },
  ),
  ...sentence(
    'CHECKPOINT-16',
    'Loading a record that cannot be read rejects with `LOUSHO_CHECKPOINT_CORRUPT`.',
    {
      needs: { methods: BASIC, survives: ['process-crash', 'power-loss'], seams: ['damage'] },
      under: 'fault',
      check: async ({ open, damage }) => {
        const { checkpoints } = await open();
        for (const sessionId of ['broken', 'whole']) {
          for (const revision of [1, 2, 3]) {
            await checkpoints.save(
              sessionId,
              checkpoint({ sessionId, revision, messages: [user('x'.repeat(200))] }),
            );
          }
        }
        await damage('broken');
        const reader = (await open()).checkpoints;
        const code = await refusalOf(() => reader.load('broken'));
        promise(
          'loading the damaged record rejects with LOUSHO_CHECKPOINT_CORRUPT',
          code === 'LOUSHO_CHECKPOINT_CORRUPT',
          code,
        );
        promiseSame('the undamaged one loads with revision', (await reader.load('whole'))?.revision, 3);
        await reader.delete('broken');
        promiseSame('after a delete the damaged one loads as', await reader.load('broken'), null);
      },
    },
  ),
];
