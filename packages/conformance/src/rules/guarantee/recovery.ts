import { promise, promiseSame, refusalOf } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { passTime } from '../../world/passing-time.js';
import { workbench } from '../../world/workbench.js';
import type { World } from '../../world/world.js';
import { settled, until, worldClock } from '../../world/world-clock.js';
import { ALL_CHECKPOINTS } from '../methods.js';
import { ONE_HOLDER } from './one-holder.js';

/** Interrupted runs, and the processes that would finish them. */
export const guaranteeRecovery = [
  ...sentence(
    'RECOVERY-01',
    'Of any number of processes that resume one run at the same time one advances it; the others are answered `LOUSHO_SESSION_BUSY`, or find it finished.',
    {
      needs: ONE_HOLDER,
      under: 'concurrency',
      check: async (world) => {
        const turns = [['work_1'], 'Done.'];
        const [client, other] = [await world.open(), await world.open()];
        await interruptedRun(world, client);
        const resumers = [client, other, client, other].map((one) => workbench(world, one, { turns }));
        const answers = await Promise.all(resumers.map(({ agent }) => refusalOf(() => agent.resume(ID))));
        const started = resumers.flatMap((one) => one.started);
        promiseSame('four that resume one run at once start', started, ['work_1']);
        const isFine = answers.every((answer) =>
          ['the call succeeded', 'LOUSHO_SESSION_BUSY'].includes(answer),
        );
        promise('each of them succeeds or is answered LOUSHO_SESSION_BUSY', isFine, answers);
        promiseSame('the run is stored as', (await other.checkpoints.load(ID))?.status, 'finished');
      },
    },
  ),
  ...sentence('RECOVERY-02', 'Resuming a finished run does nothing.', {
    needs: ONE_HOLDER,
    check: async (world) => {
      const client = await world.open();
      const turns = [['work_1'], 'Done.'];
      await workbench(world, client, { turns }).agent.send('Go', { sessionId: ID });
      const before = await client.checkpoints.load(ID);
      const again = workbench(world, await world.open(), { turns });
      promiseSame('resuming a finished run gives', await again.agent.resume(ID), null);
      promiseSame('it starts', again.started, []);
      promiseSame('it is stored as it was', await client.checkpoints.load(ID), before);
    },
  }),
  ...sentence('RECOVERY-03', 'Replicas that recover the same runs finish each of them once.', {
    needs: { ...ONE_HOLDER, methods: ALL_CHECKPOINTS },
    under: 'concurrency',
    check: async (world) => {
      const turns = [['work_1'], 'Done.'];
      const clients = [await world.open(), await world.open()] as const;
      const ids = Array.from({ length: 5 }, (_, index) => `run-${index}`);
      for (const id of ids) await interruptedRun(world, clients[0], id);
      const replicas = clients.map((client) => workbench(world, client, { turns }));
      const failures: unknown[] = [];
      const recoveries = replicas.map(({ agent }) =>
        agent.recover({ intervalMs: 1_000, onError: (error) => failures.push(error) }),
      );
      const unfinished = async () => (await clients[0].checkpoints.listPending()).length;
      while ((await unfinished()) > 0) {
        await passTime(world, 500, replicas);
        await settled();
      }
      await Promise.all(recoveries.map((recovery) => recovery.stop()));
      promiseSame('the errors of two recovering replicas', failures, []);
      const started = replicas.flatMap((replica) => replica.started).length;
      promiseSame('the calls that both started for five runs', started, 5);
    },
  }),
];

/** A run whose process died in its first call, with its lease run out. */
async function interruptedRun(world: World, client: Client, sessionId = ID): Promise<void> {
  const dead = workbench({ clock: worldClock() }, client, {
    turns: [['work_1'], 'Done.'],
    tools: { work: () => new Promise(() => {}) },
  });
  void dead.agent.send('Go', { sessionId }).catch(() => {});
  await until(() => dead.started.length === 1);
  await world.advance(TTL + world.claims.graceMs);
}
