import { transcriptFaults } from '@lousho/core/testing';
import { promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import { workbench } from '../../world/workbench.js';
import { FENCED } from '../methods.js';

const needs = { methods: FENCED, reads: ['latest'] } as const;

/** How a run ends, and what it leaves. */
export const runEnding = [
  ...sentence(
    'RUN-07',
    'When a run has ended nothing of it goes on: no timer waits and no lease is renewed.',
    {
      needs: { ...needs, seams: ['clock'] },
      check: async (world) => {
        const [client, other] = [await world.open(), await world.open()];
        const renewals: string[] = [];
        const { agent } = workbench(world, client, {
          turns: [['work_1'], 'Done.'],
          before: (method) => method.startsWith('renewLease') && renewals.push(method),
        });
        await agent.send('Go', { sessionId: ID });
        promiseSame('the timers that wait are', world.clock.waiting, 0);
        promiseGranted('another owner is granted the id', await other.checkpoints.acquireLease(ID, 'b', TTL));
        await world.advance(3 * TTL);
        promiseSame('the renewals after its end are', renewals, []);
      },
    },
  ),
  ...sentence('RUN-08', 'The last state of a run is stored before its lease is free.', {
    needs,
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      const statuses: unknown[] = [];
      const { agent } = workbench(world, client, {
        turns: [['work_1'], 'Done.'],
        before: async (method) => {
          if (method === 'releaseLease') statuses.push((await other.checkpoints.load(ID))?.status);
        },
      });
      await agent.send('Go', { sessionId: ID });
      promiseSame('when the lease is released the stored status is', statuses[0], 'finished');
    },
  }),
  ...sentence(
    'RUN-10',
    'After an abort each call has one result, and every provider takes the stored transcript.',
    {
      needs,
      under: 'fault',
      check: async (world) => {
        for (const toolConcurrency of [1, 3]) {
          const client = await (await world.storage()).open();
          const abort = new AbortController();
          const { agent, started } = workbench(world, client, {
            turns: [['work_1', 'work_2', 'work_3'], 'Done.'],
            tools: { work: () => abort.abort() },
            toolConcurrency,
          });
          const { finishReason } = await agent.send('Go', { sessionId: ID, signal: abort.signal });
          promiseSame('the run ends as', finishReason, 'aborted');
          promiseSame('the first call was started', started[0], 'work_1');
          const messages = (await client.checkpoints.load(ID))?.messages ?? [];
          promiseSame('what providers refuse in the stored transcript is', transcriptFaults(messages), []);
        }
      },
    },
  ),
];
