import { promise, promiseSame, refusalOf } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import { passTime } from '../../world/passing-time.js';
import { workbench } from '../../world/workbench.js';
import { until, worldClock } from '../../world/world-clock.js';
import { deferred } from './deferred.js';
import { ONE_HOLDER } from './one-holder.js';

/** One run that keeps its lease, that stalls, or that is deleted. */
export const guaranteeLoneHolder = [
  ...sentence(
    'EFFECT-02',
    'A run keeps its lease for as long as its process lives, however long a call takes.',
    {
      needs: ONE_HOLDER,
      under: 'fault',
      check: async (world) => {
        const [client, other] = [await world.open(), await world.open()];
        const gate = deferred();
        const run = workbench(world, client, {
          turns: [['work_1'], 'Done.'],
          tools: { work: () => gate.promise },
        });
        const running = run.agent.send('Go', { sessionId: ID });
        await until(() => run.started.length === 1);
        for (let beat = 0; beat < 12; beat++) {
          await passTime(world, TTL / 3, [run]);
          const answer = await other.checkpoints.acquireLease(ID, 'rival', TTL);
          promiseSame('while the call runs, a rival that asks for the lease is answered', answer, false);
        }
        gate.resolve();
        promiseSame(
          'after a call of four times the lease the run ends as',
          (await running).finishReason,
          'stop',
        );
      },
    },
  ),
  ...sentence('EFFECT-03', 'A run that stalled for longer than its lease, and was not replaced, goes on.', {
    needs: ONE_HOLDER,
    under: 'fault',
    check: async (world) => {
      const client = await world.open();
      const gate = deferred();
      // Its own clock stands still: no heartbeat ever runs.
      const run = workbench({ clock: worldClock() }, client, {
        turns: [['work_1'], 'Done.'],
        tools: { work: () => gate.promise },
      });
      const running = run.agent.send('Go', { sessionId: ID });
      await until(() => run.started.length === 1);
      await world.advance(10 * TTL + world.claims.graceMs);
      gate.resolve();
      promiseSame('the run that nobody replaced ends as', (await running).finishReason, 'stop');
      promiseSame('it is stored as', (await client.checkpoints.load(ID))?.status, 'finished');
    },
  }),
  ...sentence('EFFECT-04', 'A run that is deleted starts nothing more, and does not come back.', {
    needs: ONE_HOLDER,
    under: 'fault',
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      const gate = deferred();
      const run = workbench(world, client, {
        turns: [['work_1', 'work_2'], 'Done.'],
        tools: { work: () => gate.promise },
        toolConcurrency: 1,
      });
      const running = refusalOf(() => run.agent.send('Go', { sessionId: ID }));
      await until(() => run.started.length === 1);
      await other.checkpoints.delete(ID);
      gate.resolve();
      const code = await running;
      promise('the deleted run rejects with LOUSHO_SESSION_BUSY', code === 'LOUSHO_SESSION_BUSY', code);
      promiseSame('the calls that it started', run.started, ['work_1']);
      promiseSame('the deleted id loads as', await other.checkpoints.load(ID), null);
    },
  }),
];
