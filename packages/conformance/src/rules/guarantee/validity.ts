import { transcriptFaults } from '@lousho/core/testing';
import { promise, promiseSame } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { ID } from '../../world/builders.js';
import { workbench } from '../../world/workbench.js';
import { FENCED } from '../methods.js';
import { ONE_HOLDER } from './one-holder.js';

/** What the saves of a run have in common, and what a run resumed from each of them does. */
export const guaranteeValidity = [
  ...sentence(
    'VALIDITY-01',
    "A run's saves have the revisions 1, 2, 3, and so on, and each transcript begins with the one before it, but for input at its end that the model has not seen.",
    {
      needs: { ...ONE_HOLDER, methods: [...FENCED, 'checkpoints.history'] },
      check: async (world) => {
        const client = await world.open();
        const turns = [['a_1', 'b_1'], ['a_2'], 'Done.', ['b_2'], 'Done again.'];
        const { agent } = workbench(world, client, { turns });
        for (const input of ['Go', 'Once more']) await agent.send(input, { sessionId: ID });
        const history = [...(await client.checkpoints.history(ID))].reverse();
        const revisions = history.map((entry) => entry.checkpoint.revision);
        promiseSame(
          'the revisions of the saves',
          revisions,
          history.map((_, index) => index + 1),
        );
        const transcripts = history.map((entry) => entry.checkpoint.messages);
        for (const [index, messages] of transcripts.slice(1).entries()) {
          const before = transcripts[index] ?? [];
          promiseSame(`save ${index + 2} begins with`, messages.slice(0, before.length), before);
        }
      },
    },
  ),
  ...sentence(
    'VALIDITY-02',
    'From each save of a run a resumed one reaches the same end, with requests that every provider takes.',
    {
      needs: { ...ONE_HOLDER, methods: [...FENCED, 'checkpoints.history'] },
      under: 'fault',
      timeLimitMs: 60_000,
      check: async (world) => {
        const source = await world.open();
        const turns = [['a_1', 'b_1'], ['a_2'], 'Done.'];
        await workbench(world, source, { turns, toolConcurrency: 1 }).agent.send('Go', { sessionId: ID });
        const wanted = (await source.checkpoints.load(ID))?.messages;
        for (const { checkpoint } of await source.checkpoints.history(ID)) {
          const client = await (await world.storage()).open();
          await client.checkpoints.save(ID, checkpoint);
          const next = workbench(world, client, { turns, toolConcurrency: 1 });
          await next.agent.resume(ID);
          const stored = await client.checkpoints.load(ID);
          promiseSame(
            `a run resumed from revision ${checkpoint.revision} ends with`,
            stored?.messages,
            wanted,
          );
          const faults = next.asked.flatMap(({ messages }) => transcriptFaults(messages));
          promise('every request is one that providers take', faults.length === 0, show(faults));
        }
      },
    },
  ),
];
