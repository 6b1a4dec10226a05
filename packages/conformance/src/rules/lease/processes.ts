import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID } from '../../world/builders.js';
import { FENCED } from '../methods.js';
import { epochOf } from './epoch-of.js';

/** Longer than any of these rules takes on real time. */
const LONG = 600_000;
const needs = { methods: FENCED, reach: ['host', 'network'], seams: ['processes'] } as const;

export const leaseProcesses = [
  ...sentence(
    'LEASE-28',
    'A lease that one process holds is refused to owners in every other one that reaches the storage.',
    {
      tier: 1,
      needs,
      check: async ({ elsewhere }) => {
        const [a, b] = (await Promise.all([elsewhere(), elsewhere()])).map(({ checkpoints }) => checkpoints);
        if (!a || !b) return;
        const first = epochOf(await a.acquireLease(ID, 'worker-a', LONG));
        promiseSame(
          'another process’s owner is granted it',
          await b.acquireLease(ID, 'worker-b', LONG),
          false,
        );
        promiseSame('another process’s owner renews it', await b.renewLease(ID, 'worker-b', LONG), false);
        await b.releaseLease(ID, 'worker-b');
        promiseSame('the holder renews', await a.renewLease(ID, 'worker-a', LONG), true);
        promiseSame(
          'the holder saves',
          await a.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a'),
          true,
        );
        promiseSame(
          'the other saves',
          await b.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-b'),
          false,
        );
        await a.releaseLease(ID, 'worker-a');
        const second = epochOf(await b.acquireLease(ID, 'worker-b', LONG));
        if (first !== null) promise(`the next epoch is above ${first}`, Number(second) > first, `${second}`);
        promiseSame(
          'the former holder saves',
          await a.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a'),
          false,
        );
      },
    },
  ),
  ...sentence(
    'LEASE-29',
    "With `deathProof: 'process'` the lease of a killed process is granted to another at once.",
    {
      tier: 1,
      needs: { ...needs, deathProof: ['process'] },
      under: 'fault',
      check: async ({ elsewhere }) => {
        const [dead, taker] = await Promise.all([elsewhere(), elsewhere()]);
        await dead.checkpoints.acquireLease(ID, 'worker-a', LONG);
        promiseSame(
          'while it lives its lease is granted to another',
          await taker.checkpoints.acquireLease(ID, 'worker-b', LONG),
          false,
        );
        await dead.kill();
        promiseGranted(
          'after its end by SIGKILL it is',
          await taker.checkpoints.acquireLease(ID, 'worker-b', LONG),
        );
      },
    },
  ),
  ...sentence('LEASE-30', 'A process that is stopped, and lives, keeps its lease.', {
    tier: 1,
    needs,
    under: 'fault',
    check: async ({ elsewhere }) => {
      const [stopped, taker] = await Promise.all([elsewhere(), elsewhere()]);
      await stopped.checkpoints.acquireLease(ID, 'worker-a', LONG);
      stopped.stop();
      const answer = await taker.checkpoints.acquireLease(ID, 'worker-b', LONG);
      promiseSame('a stopped process’s lease is granted to another', answer, false);
      stopped.goOn();
      promiseSame('it goes on and renews', await stopped.checkpoints.renewLease(ID, 'worker-a', LONG), true);
    },
  }),
  ...sentence(
    'LEASE-31',
    'With a weaker `deathProof` the lease of a killed process is granted only once it has expired.',
    {
      tier: 1,
      needs: { ...needs, deathProof: ['none', 'instance'] },
      under: 'fault',
      check: async ({ elsewhere }) => {
        const [dead, taker] = await Promise.all([elsewhere(), elsewhere()]);
        await dead.checkpoints.acquireLease(ID, 'worker-a', LONG);
        await dead.kill();
        promiseSame(
          'the killed process’s lease is granted to another',
          await taker.checkpoints.acquireLease(ID, 'worker-b', LONG),
          false,
        );
      },
    },
  ),
];
