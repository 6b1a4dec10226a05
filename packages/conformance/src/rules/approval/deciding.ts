import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, decision } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { inEitherOrder } from '../in-either-order.js';
import { APPROVALS } from '../methods.js';
import { listedIds } from './records.js';

const needs = { methods: APPROVALS };
const ID = 'approval-1';

export const approvalDeciding = [
  ...sentence(
    'APPROVAL-04',
    "`decide` answers `'decided'` once; from then on `load` carries the decision and `list` leaves the approval out.",
    {
      needs,
      check: async ({ open }) => {
        const [store, other] = [(await open()).approvals, (await open()).approvals];
        await store.save(approval(), {});
        promiseSame('the first decision', await store.decide(ID, decision({ note: 'fine' })), 'decided');
        promiseSame('another client loads it', (await other.load(ID))?.decision, decision({ note: 'fine' }));
        promiseSame('it lists', await listedIds(other), []);
      },
    },
  ),
  ...sentence(
    'APPROVAL-05',
    "Every later `decide` answers `'already-decided'`, and the first decision stays.",
    {
      needs,
      check: async ({ open }) => {
        const [store, other] = [(await open()).approvals, (await open()).approvals];
        await store.save(approval(), {});
        await store.decide(ID, decision({ approved: false }));
        promiseSame(
          'the opposite decision',
          await other.decide(ID, decision({ approved: true })),
          'already-decided',
        );
        promiseSame(
          'the same decision',
          await store.decide(ID, decision({ approved: false })),
          'already-decided',
        );
        promiseSame('the stored decision', (await store.load(ID))?.decision?.approved, false);
      },
    },
  ),
  ...sentence('APPROVAL-06', "Deciding an unknown id answers `'not-found'` and stores nothing.", {
    needs,
    check: async ({ open }) => {
      const { approvals } = await open();
      promiseSame('the decision', await approvals.decide('nobody', decision({ id: 'nobody' })), 'not-found');
      promiseSame('the id loads as', await approvals.load('nobody'), null);
      await approvals.save(approval({ id: 'nobody' }), {});
      promiseSame('saved then, it is undecided', await listedIds(approvals), ['nobody']);
    },
  }),
  ...sentence('APPROVAL-09', 'Saving a decided id again changes nothing.', {
    needs,
    check: async ({ open }) => {
      const { approvals } = await open();
      await approvals.save(approval({ args: 1 }), {});
      await approvals.decide(ID, decision());
      await approvals.save(approval({ args: 2 }), {});
      const kept = { approval: approval({ args: 1 }), snapshot: {}, decision: decision() };
      promiseSame('it loads as', await approvals.load(ID), kept);
      promiseSame('the listed ids', await listedIds(approvals), []);
      promiseSame('deciding it again', await approvals.decide(ID, decision()), 'already-decided');
    },
  }),
  ...sentence(
    'APPROVAL-07',
    "Of any number of concurrent deciders exactly one is answered `'decided'`, and its decision is the stored one; between processes this takes `fencing: 'atomic'`.",
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => decideAtOnce(await Promise.all([open(), open(), open(), open()]), 5),
    },
    {
      name: 'processes',
      tier: 1,
      needs: { ...needs, fencing: ['atomic'], reach: ['host', 'network'], seams: ['processes'] },
      under: 'concurrency',
      check: async ({ elsewhere }) =>
        decideAtOnce(await Promise.all([elsewhere(), elsewhere(), elsewhere(), elsewhere()]), 10),
    },
  ),
  ...sentence(
    'APPROVAL-13',
    'After a decision and a delete at the same time the approval is deleted, whatever the decision was answered.',
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => {
        const [a, b] = [(await open()).approvals, (await open()).approvals];
        for (let round = 0; round < 10; round++) {
          const id = `approval-${round}`;
          await a.save(approval({ id }), {});
          const [answer] = await inEitherOrder(
            round % 2 === 1,
            () => a.decide(id, decision({ id })),
            () => b.delete(id),
          );
          promiseSame(
            `the decision was answered ${answer}; the deleted one loads as`,
            await b.load(id),
            null,
          );
        }
      },
    },
  ),
  ...sentence(
    'APPROVAL-14',
    "A decision that was answered `'decided'` is not lost to a save of the approval at the same time.",
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => {
        const [a, b] = [(await open()).approvals, (await open()).approvals];
        for (let round = 0; round < 10; round++) {
          const id = `approval-${round}`;
          await a.save(approval({ id, args: 1 }), {});
          const [answer] = await inEitherOrder(
            round % 2 === 1,
            () => a.decide(id, decision({ id, by: round })),
            () => b.save(approval({ id, args: 2 }), {}),
          );
          promiseSame('the decision is answered', answer, 'decided');
          promiseSame('it stays', (await b.load(id))?.decision?.by, round);
        }
      },
    },
  ),
];

/** Sixteen deciders of one approval, round after round. */
async function decideAtOnce(clients: readonly Client[], rounds: number): Promise<void> {
  const [first] = clients as [Client];
  for (let round = 0; round < rounds; round++) {
    const id = `approval-${round}`;
    await first.approvals.save(approval({ id }), {});
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, by) => {
        const { approvals } = clients[by % clients.length] as Client;
        return approvals.decide(id, decision({ id, approved: by % 2 === 0, by }));
      }),
    );
    const winners = answers.flatMap((answer, by) => (answer === 'decided' ? [by] : []));
    promise('exactly one of 16 is answered `decided`', winners.length === 1, answers);
    promise(
      'all others are answered `already-decided`',
      answers.filter((answer) => answer === 'already-decided').length === 15,
      answers,
    );
    const stored = (await (clients.at(-1) as Client).approvals.load(id))?.decision?.by;
    promiseSame('the stored decision is the winner’s', stored, winners[0]);
  }
}
