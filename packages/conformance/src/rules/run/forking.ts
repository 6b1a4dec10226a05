import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID } from '../../world/builders.js';
import { workbench } from '../../world/workbench.js';
import { APPROVALS, FENCED } from '../methods.js';

/** Runs that begin in the history of another one. */
export const runForking = sentence(
  'RUN-13',
  'A fork of a run that waits for a person asks a question of its own: deciding one of the two leaves the other waiting.',
  {
    needs: { methods: [...FENCED, ...APPROVALS, 'checkpoints.history'], reads: ['latest'] },
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
);
