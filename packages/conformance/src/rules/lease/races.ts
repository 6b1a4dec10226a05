import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { inEitherOrder } from '../in-either-order.js';
import { LEASES } from '../methods.js';

const needs = { methods: LEASES, fencing: ['atomic'] } as const;

export const leaseRaces = [
  ...sentence(
    'LEASE-13',
    "Of any number of owners that ask for one free id at the same time exactly one is granted; between processes this takes `fencing: 'atomic'`.",
    {
      needs: { methods: LEASES, seams: ['clock'] },
      under: 'concurrency',
      check: async ({ open, advance, claims }) => {
        const clients = await Promise.all([open(), open(), open(), open()]);
        for (let round = 0; round < 5; round++) {
          const owner = (index: number) => `worker-${round}-${index}`;
          const answers = await Promise.all(
            Array.from({ length: 16 }, (_, index) =>
              (clients[index % 4] as Client).checkpoints.acquireLease(ID, owner(index), TTL),
            ),
          );
          const winners = answers.flatMap((answer, index) => (answer ? [owner(index)] : []));
          promise(
            'exactly one of 16 is granted',
            winners.length === 1,
            `granted: ${winners.join(', ') || 'none'}`,
          );
          const [winner = ''] = winners;
          promiseSame('the winner holds it', await clients[0].checkpoints.renewLease(ID, winner, TTL), true);
          await advance(TTL + claims.graceMs);
        }
      },
    },
    {
      name: 'processes',
      tier: 1,
      needs: { ...needs, reach: ['host', 'network'], seams: ['processes'] },
      under: 'concurrency',
      check: async ({ elsewhere }) => {
        const processes = await Promise.all([elsewhere(), elsewhere(), elsewhere(), elsewhere()]);
        for (let round = 0; round < 10; round++) {
          const owner = (index: number) => `worker-${round}-${index}`;
          const answers = await Promise.all(
            Array.from({ length: 16 }, (_, index) =>
              (processes[index % 4] as Client).checkpoints.acquireLease(ID, owner(index), TTL),
            ),
          );
          const winners = answers.flatMap((answer, index) => (answer ? [index] : []));
          promise(
            'exactly one of 16 in four processes is granted',
            winners.length === 1,
            `${winners.length} were granted`,
          );
          const [winner = 0] = winners;
          await (processes[(winner + 1) % 4] as Client).checkpoints.releaseLease(ID, owner(winner));
        }
      },
    },
  ),
  ...sentence(
    'LEASE-24',
    'Of a renewal by a holder past its expiry and a take-over at the same time exactly one succeeds.',
    {
      needs: { ...needs, seams: ['clock'] },
      under: 'concurrency',
      check: async ({ open, advance, claims }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        for (let round = 0; round < 20; round++) {
          const [mine, rival] = [`worker-a-${round}`, `worker-b-${round}`];
          await a.acquireLease(ID, mine, TTL);
          await advance(TTL + claims.graceMs);
          const [isRenewed, lease] = await inEitherOrder(
            round % 2 === 1,
            () => a.renewLease(ID, mine, TTL),
            () => b.acquireLease(ID, rival, TTL),
          );
          const isTaken = lease !== false;
          promise(
            'exactly one of a late renewal and a take-over succeeds',
            isRenewed !== isTaken,
            `renewed: ${isRenewed}, taken over: ${isTaken}`,
          );
          promiseSame(
            'the holder is who was told so',
            await a.renewLease(ID, isTaken ? rival : mine, TTL),
            true,
          );
          await a.releaseLease(ID, isTaken ? rival : mine);
        }
      },
    },
  ),
  ...sentence(
    'LEASE-25',
    'A release that arrives while the id is taken over leaves the new holder its lease.',
    {
      needs: { ...needs, seams: ['clock'] },
      under: 'concurrency',
      check: async ({ open, advance, claims }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        for (let round = 0; round < 20; round++) {
          const [late, rival] = [`worker-a-${round}`, `worker-b-${round}`];
          await a.acquireLease(ID, late, TTL);
          await advance(TTL + claims.graceMs);
          const [, lease] = await inEitherOrder(
            round % 2 === 1,
            () => a.releaseLease(ID, late),
            () => b.acquireLease(ID, rival, TTL),
          );
          promiseGranted('the rival is granted the expired lease', lease);
          promiseSame(
            'the late release leaves the rival its lease',
            await b.renewLease(ID, rival, TTL),
            true,
          );
          await b.releaseLease(ID, rival);
        }
      },
    },
  ),
  ...sentence('LEASE-26', 'However many owners acquire and release an id, at no moment do two hold it.', {
    needs,
    under: 'concurrency',
    check: async ({ open }) => {
      const clients = await Promise.all([open(), open()]);
      let holders = 0;
      let most = 0;
      let turns = 0;
      await Promise.all(
        Array.from({ length: 8 }, async (_, worker) => {
          const { checkpoints } = clients[worker % 2] as Client;
          for (let turn = 0; turn < 12; turn++) {
            const owner = `worker-${worker}-${turn}`;
            if ((await checkpoints.acquireLease(ID, owner, TTL)) === false) continue;
            holders += 1;
            turns += 1;
            most = Math.max(most, holders);
            await new Promise<void>((resolve) => setImmediate(resolve));
            holders -= 1;
            await checkpoints.releaseLease(ID, owner);
          }
        }),
      );
      promise('at no moment two hold one id', most === 1, `${most} held it at once`);
      promise('somebody is granted it', turns > 0, 'nobody was');
      promiseGranted(
        'in the end the id is free',
        await clients[0].checkpoints.acquireLease(ID, 'the-next', TTL),
      );
    },
  }),
  ...sentence('LEASE-27', 'Acquisitions by one owner at the same time are all granted, and are one lease.', {
    needs,
    under: 'concurrency',
    check: async ({ open }) => {
      const clients = await Promise.all([open(), open()]);
      const granted = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (clients[index % 2] as Client).checkpoints.acquireLease(ID, 'worker-a', TTL),
        ),
      );
      const answers = new Set(granted.map((answer) => JSON.stringify(answer)));
      promise(
        'every one of 12 calls of one owner is granted the same lease',
        answers.size === 1 && granted[0] !== false,
        [...answers].join(', '),
      );
      promiseSame(
        'another owner is granted it',
        await clients[0].checkpoints.acquireLease(ID, 'worker-b', TTL),
        false,
      );
    },
  }),
];
