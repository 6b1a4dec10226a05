import type { Checkpoint } from '@lousho/core/contract';
import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { type Workbench, workbench } from '../../world/workbench.js';
import { APPROVALS, FENCED } from '../methods.js';

const needs = { methods: [...FENCED, 'checkpoints.history'], reads: ['latest'] } as const;
const TURNS = [['work_1'], ['work_2'], 'Done.'];

/** Runs that begin in the history of another one. */
export const guaranteeFork = [
  ...sentence(
    'FORK-01',
    'A fork begins as the named step was saved; two forks of one step with one patch are the same but for their ids, and end with the same transcript.',
    {
      needs,
      check: async (world) => {
        const client = await world.open();
        const run = workbench(world, client, { turns: TURNS });
        await run.agent.send('Go', { sessionId: ID });
        const saved = await savedAt(client, 1);
        const forks = [await run.agent.fork(ID, { fromStep: 1 }), await run.agent.fork(ID, { fromStep: 1 })];
        const began = await Promise.all(forks.map(({ sessionId }) => client.checkpoints.load(sessionId)));
        for (const checkpoint of began) {
          promiseSame('a fork begins with the transcript', checkpoint?.messages, saved.messages);
        }
        promiseSame('but for their ids the second fork is', apart(began[1]), apart(began[0]));
        for (const { sessionId } of forks) await run.agent.resume(sessionId);
        const ids = [ID, ...forks.map(({ sessionId }) => sessionId)];
        const ends = await Promise.all(ids.map((id) => client.checkpoints.load(id)));
        for (const end of ends.slice(1)) {
          promiseSame('a fork that is resumed ends with', end?.messages, ends[0]?.messages);
        }
      },
    },
  ),
  ...sentence('FORK-02', 'A fork, and the run that continues it, leave the source as it was, to the byte.', {
    needs,
    check: async (world) => {
      const client = await world.open();
      const run = workbench(world, client, { turns: TURNS });
      await run.agent.send('Go', { sessionId: ID });
      const source = async () =>
        JSON.stringify([await client.checkpoints.load(ID), await client.checkpoints.history(ID)]);
      const before = await source();
      const patch = { businessState: { changed: true }, appendInput: 'And now?' };
      const fork = await run.agent.fork(ID, { fromStep: 1, patch });
      promiseSame('after the fork, the source is', await source(), before);
      await run.agent.resume(fork.sessionId);
      promiseSame('after the end of the fork, the source is', await source(), before);
    },
  }),
  ...sentence('FORK-03', 'Of two forks of one step with opposite results each goes on with its own.', {
    needs,
    check: async (world) => {
      const client = await world.open();
      const run = workbench(world, client, { turns: TURNS });
      await run.agent.send('Go', { sessionId: ID });
      for (const result of ['yes', 'no']) {
        const patch = { toolResult: { toolCallId: 'work_1', result } };
        const fork = await run.agent.fork(ID, { fromStep: 1, patch });
        const other = workbench(world, client, { turns: TURNS });
        await other.agent.resume(fork.sessionId);
        promiseSame(
          `with the result "${result}" the model is shown`,
          resultShown(other),
          JSON.stringify(result),
        );
      }
    },
  }),
  ...sentence('FORK-04', 'Of any number of forks that are made at the same time each has an id of its own.', {
    needs,
    under: 'concurrency',
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      const quick = workbench(world, other, { turns: TURNS });
      await quick.agent.send('Go', { sessionId: ID });
      const fork = async ({ agent }: Workbench) => (await agent.fork(ID, { fromStep: 1 })).sessionId;
      const ids: string[] = [];
      // Between its look at a free id and its lease another one takes the id, and is done with it.
      const slow = workbench(world, client, {
        turns: TURNS,
        before: async (method) => {
          if (method === 'acquireLease' && ids.length === 0) ids.push(await fork(quick));
        },
      });
      ids.push(await fork(slow));
      ids.push(...(await Promise.all([slow, quick, slow, quick].map(fork))));
      const wanted = ids.map((_, index) => `${ID}.fork-${index + 1}`);
      promiseSame('the ids of six forks', ids.sort(), wanted);
    },
  }),
  ...sentence(
    'FORK-05',
    'A fork of a run that waits for a person asks a question of its own: deciding one of the two leaves the other waiting.',
    {
      needs: { ...needs, methods: [...needs.methods, ...APPROVALS] },
      check: async (world) => {
        const client = await world.open();
        const { agent, started } = workbench(world, client, {
          turns: [['refund_1'], 'Done.'],
          safety: { refund: { needsApproval: true } },
        });
        await agent.send('Go', { sessionId: ID });
        const source = await client.checkpoints.load(ID);
        const fork = await agent.fork(ID, { fromStep: 1 });
        const asks = (await agent.resume(fork.sessionId))?.finishReason;
        promiseSame('the fork that is resumed ends as', asks, 'awaiting-approval');
        promiseSame('the source is', await client.checkpoints.load(ID), source);
        const sessions = (await agent.approvals.list()).map(({ sessionId }) => sessionId).sort();
        promiseSame('the runs that ask are', sessions, [ID, fork.sessionId].sort());
        for (const [count, sessionId] of [ID, fork.sessionId].entries()) {
          const asked = (await agent.approvals.list()).find((one) => one.sessionId === sessionId);
          promise(`${sessionId} still asks`, asked !== undefined, asked);
          const { finishReason } = await agent.approvals.resolve({ id: asked?.id ?? '', approved: true });
          promiseSame(`${sessionId} ends as`, finishReason, 'stop');
          promiseSame('the started calls are', started, Array(count + 1).fill('refund_1'));
        }
      },
    },
  ),
];

/** The newest save of a step. */
async function savedAt(client: Client, step: number): Promise<Checkpoint> {
  const entry = (await client.checkpoints.history(ID)).find((one) => one.step === step);
  promise(`step ${step} is kept`, entry !== undefined, entry);
  return entry?.checkpoint as Checkpoint;
}

/** A checkpoint without what names it. */
function apart(checkpoint: Checkpoint | null | undefined) {
  if (!checkpoint) return checkpoint;
  const { sessionId: _session, runId: _run, ...rest } = checkpoint;
  return rest;
}

/** The first result that a model was shown. */
function resultShown({ asked }: Workbench): unknown {
  return asked[0]?.messages.find(({ role }) => role === 'tool')?.content;
}
