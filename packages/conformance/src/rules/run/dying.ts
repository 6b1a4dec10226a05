import { exploreCrashes } from '@lousho/core/testing';
import { promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { NotRun } from '../../model/violation.js';
import { ID, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { workbench } from '../../world/workbench.js';
import type { World } from '../../world/world.js';
import { BASIC } from '../methods.js';

/** A process that dies at any moment of a run. */
export const runDying = sentence(
  'RUN-12',
  'At whatever store, model or tool call its process dies, a run that is resumed ends with the same transcript, and asks and runs nothing again whose answer was stored.',
  {
    needs: { methods: BASIC, reads: ['latest'] },
    under: 'fault',
    timeLimitMs: 60_000,
    check: async (world) => {
      await assertLeasesEnd(world);
      const report = await exploreCrashes({
        sessionId: ID,
        turns: [{ input: 'Go' }, { input: 'Once more' }],
        openStorage: async () => {
          const storage = await world.storage();
          return {
            openStore: async () => {
              // Whoever opens the storage after a crash comes when the lease of the dead has run out.
              await world.advance(TTL + world.claims.graceMs);
              return storage.open();
            },
            dispose: async () => {},
          };
        },
        createAgent: (crashes, store) =>
          workbench(world, store as Client, {
            turns: [['a_1', 'b_1'], ['a_1'], 'Done.', ['b_1'], 'Done again.'],
            wrap: (given) => ({
              store: given.store,
              provider: crashes.provider(given.provider),
              tools: crashes.tools(given.tools),
            }),
          }).agent,
      });
      promiseSame('what is found after the crashes is', report.findings, []);
      promiseSame('the model is asked again so many times', report.repeatedModelCalls, 0);
      promiseSame('calls run again so many times', report.repeatedTools, 0);
    },
  },
);

/** Whoever goes on must be able to take the lease of the dead. */
async function assertLeasesEnd(world: World): Promise<void> {
  const { checkpoints } = await (await world.storage()).open();
  const { acquireLease } = checkpoints as Partial<Client['checkpoints']>;
  if (!acquireLease || world.claims.deathProof !== 'none') return;
  await acquireLease.call(checkpoints, ID, 'worker-a', TTL);
  await world.advance(TTL + world.claims.graceMs);
  const isTaken = (await acquireLease.call(checkpoints, ID, 'worker-b', TTL)) !== false;
  if (!isTaken) throw new NotRun('the harness does not let time be moved, and leases cannot be taken early');
}
