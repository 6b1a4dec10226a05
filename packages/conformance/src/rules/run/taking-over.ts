import type { Checkpoint } from '@lousho/core/contract';
import { promise, promiseGranted, promiseSame, refusalOf } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import { workbench } from '../../world/workbench.js';
import type { World } from '../../world/world.js';
import { worldClock } from '../../world/world-clock.js';
import { FENCED } from '../methods.js';

const needs = {
  methods: FENCED,
  fencing: ['atomic', 'best-effort'],
  reads: ['latest'],
  clock: ['store', 'host', 'caller', 'observed'],
  seams: ['clock'],
} as const;

/** Runs whose process stops or dies, and the one that goes on. */
export const runTakingOver = [
  ...sentence(
    'RUN-05',
    'The start of a call that runs at most once is stored before it runs; if its process dies in it, it is answered as interrupted and never runs again.',
    {
      needs,
      under: 'fault',
      check: async (world) => {
        const [client, other] = [await world.open(), await world.open()];
        let seen: Checkpoint | null = null;
        const safety = { pay: { rerun: 'never' as const } };
        const turns = [['pay_1'], 'Done.'];
        await dieIn(world, client, { turns, safety }, async () => {
          seen = await other.checkpoints.load(ID);
        });
        const marks = (seen as Checkpoint | null)?.startedToolCallIds;
        promiseSame('in the call, the stored start marks are', marks, ['pay_1']);
        const next = workbench(world, other, { turns, safety });
        const result = await next.agent.resume(ID);
        promiseSame('the run that is resumed ends as', result?.finishReason, 'stop');
        promiseSame('the calls that it starts are', next.started, []);
        const answer = (await other.checkpoints.load(ID))?.messages.find(({ role }) => role === 'tool');
        promise(
          'the call is answered as interrupted',
          answer?.isError === true && `${answer.content}`.includes('"interrupted"'),
          answer,
        );
      },
    },
  ),
  ...sentence(
    'RUN-06',
    'A run whose lease was taken asks no model and starts no call any more, and rejects with `LOUSHO_SESSION_BUSY`; what the new holder stored stays.',
    {
      needs,
      under: 'fault',
      check: async (world) => {
        const [client, other] = [await world.open(), await world.open()];
        const stalled = workbench({ clock: worldClock() }, client, {
          turns: [['work_1', 'work_2'], ['work_3'], 'Done.'],
          toolConcurrency: 1,
          tools: {
            work: async ({ toolCallId }) => {
              if (toolCallId !== 'work_1') return;
              await world.advance(TTL + world.claims.graceMs);
              const lease = await other.checkpoints.acquireLease(ID, 'worker-b', TTL);
              promiseGranted('another owner takes the expired lease', lease);
              const found = (await other.checkpoints.load(ID)) as Checkpoint;
              const own = { ...found, revision: (found.revision ?? 0) + 1, businessState: 'worker-b' };
              promiseSame('its save', await other.checkpoints.saveIfLeased(ID, own, 'worker-b'), true);
            },
          },
        });
        const code = await refusalOf(() => stalled.agent.send('Go', { sessionId: ID }));
        promise('the run rejects with LOUSHO_SESSION_BUSY', code === 'LOUSHO_SESSION_BUSY', code);
        promiseSame('the calls that it started are', stalled.started, ['work_1']);
        promiseSame('the times that it asked the model are', stalled.asked.length, 1);
        const stored = await other.checkpoints.load(ID);
        promiseSame('what is stored is of', stored?.businessState, 'worker-b');
      },
    },
  ),
  ...sentence(
    'RUN-11',
    'What becomes of a stored run is decided under its lease: one that was finished between the look and the lease is left alone.',
    {
      needs,
      under: 'fault',
      check: async (world) => {
        const [client, other] = [await world.open(), await world.open()];
        const turns = [['work_1'], 'Done.'];
        await dieIn(world, client, { turns }, async () => {});
        const quick = workbench(world, other, { turns });
        let isFirst = true;
        const slow = workbench(world, client, {
          turns,
          before: async (method) => {
            if (method !== 'acquireLease' || !isFirst) return;
            isFirst = false;
            await quick.agent.resume(ID);
          },
        });
        const result = await slow.agent.resume(ID);
        promiseSame('the one that is quicker starts', quick.started, ['work_1']);
        promiseSame('the other starts', slow.started, []);
        promiseSame('the other asks the model so many times', slow.asked.length, 0);
        promiseSame('the other is answered', result, null);
      },
    },
  ),
];

/** Lets a process die in the first call of a run, and its lease run out. */
async function dieIn(
  world: World,
  client: Parameters<typeof workbench>[1],
  { turns, safety }: Pick<Parameters<typeof workbench>[2], 'turns' | 'safety'>,
  inCall: () => Promise<void>,
): Promise<void> {
  const name = `${turns[0]?.[0]}`.split('_', 1)[0] as string;
  await new Promise<void>((resolve, reject) => {
    // Time stands still for the dead, so that it renews nothing.
    const dead = workbench({ clock: worldClock() }, client, {
      turns,
      ...(safety && { safety }),
      tools: {
        [name]: async () => {
          await inCall();
          resolve();
          return new Promise(() => {});
        },
      },
    });
    dead.agent.send('Go', { sessionId: ID }).catch(reject);
  });
  await world.advance(TTL + world.claims.graceMs);
}
