import { promise, promiseSame, refusalOf } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { whileTimePasses } from '../../world/passing-time.js';
import { workbench } from '../../world/workbench.js';
import { APPROVALS, FENCED } from '../methods.js';
import { ONE_HOLDER } from './one-holder.js';

/** Decisions that more than one process gives, or that are given again. */
export const guaranteeConsumeOnce = [
  ...sentence(
    'CONSUME-01',
    'Of any number of processes that give one decision at the same time exactly one goes on with the run, and the approved call runs once.',
    {
      needs: { ...ONE_HOLDER, methods: [...FENCED, ...APPROVALS] },
      under: 'concurrency',
      check: async (world) => {
        const clients = [await world.open(), await world.open()] as const;
        const options = { turns: [['refund_1'], 'Done.'], safety: { refund: { needsApproval: true } } };
        for (let round = 0; round < 3; round++) {
          const sessionId = `run-${round}`;
          await workbench(world, clients[0], options).agent.send('Go', { sessionId });
          const [asked] = await clients[1].approvals.list();
          promise('the run asks for approval', asked !== undefined, asked);
          const deciders = Array.from({ length: 6 }, (_, by) =>
            workbench(world, clients[by % 2] as Client, options),
          );
          const deciding = Promise.all(
            deciders.map(({ agent }) =>
              refusalOf(() => agent.approvals.resolve({ id: asked?.id ?? '', approved: true })),
            ),
          );
          // Whoever finds the run held waits a moment before it gives up.
          const answers = await whileTimePasses(world, deciding, { stepMs: 10, processes: deciders });
          const winners = answers.filter((answer) => answer === 'the call succeeded').length;
          promise('exactly one of six that decide at once goes on with the run', winners === 1, answers);
          const started = deciders.flatMap((one) => one.started);
          promiseSame('the approved call runs', started, ['refund_1']);
          promiseSame(
            'the run is stored as',
            (await clients[1].checkpoints.load(sessionId))?.status,
            'finished',
          );
        }
      },
    },
  ),
  ...sentence('CONSUME-02', 'A decided approval is not decided again: a call that was refused never runs.', {
    needs: { ...ONE_HOLDER, methods: [...FENCED, ...APPROVALS] },
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      const options = { turns: [['refund_1'], 'Done.'], safety: { refund: { needsApproval: true } } };
      await workbench(world, client, options).agent.send('Go', { sessionId: ID });
      const [asked] = await other.approvals.list();
      const decision = { id: asked?.id ?? '', approved: false };
      const first = workbench(world, other, options);
      promiseSame(
        'the refused run ends as',
        (await first.agent.approvals.resolve(decision)).finishReason,
        'stop',
      );
      const second = workbench(world, client, options);
      const code = await refusalOf(() => second.agent.approvals.resolve({ ...decision, approved: true }));
      promise('a second decision is refused', code !== 'the call succeeded', code);
      promiseSame('the calls that were started', [...first.started, ...second.started], []);
    },
  }),
];
