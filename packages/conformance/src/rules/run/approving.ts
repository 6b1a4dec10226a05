import { promise, promiseGranted, promiseSame, refusalOf } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import { whileTimePasses } from '../../world/passing-time.js';
import { workbench } from '../../world/workbench.js';
import { APPROVALS, FENCED } from '../methods.js';

/** Decisions that people give to runs. */
export const runApproving = sentence(
  'RUN-09',
  'A decision that finds its run held by another is refused with `LOUSHO_SESSION_BUSY` and taken by nobody: it can be given again.',
  {
    needs: { methods: [...FENCED, ...APPROVALS], reads: ['latest'], seams: ['clock'] },
    under: 'fault',
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      const replica = workbench(world, client, {
        turns: [['refund_1'], 'Done.'],
        safety: { refund: { needsApproval: true } },
      });
      const { agent, started } = replica;
      await agent.send('Go', { sessionId: ID });
      const [asked] = await agent.approvals.list();
      promise('the run asks for approval', asked !== undefined, asked);
      const decision = { id: asked?.id ?? '', approved: true };
      promiseGranted('another owner holds the run', await other.checkpoints.acquireLease(ID, 'b', 10 * TTL));
      const deciding = refusalOf(() => agent.approvals.resolve(decision));
      const code = await whileTimePasses(world, deciding, { stepMs: 10, processes: [replica] });
      promise('the decision is refused with LOUSHO_SESSION_BUSY', code === 'LOUSHO_SESSION_BUSY', code);
      promiseSame('the undecided ones are', (await other.approvals.list()).length, 1);
      await other.checkpoints.releaseLease(ID, 'b');
      const { finishReason } = await agent.approvals.resolve(decision);
      promiseSame('given again, the run ends as', finishReason, 'stop');
      promiseSame('the started calls are', started, ['refund_1']);
    },
  },
);
