import { promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, decision, user } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { APPROVALS } from '../methods.js';

const needs = { methods: APPROVALS };

export const approvalRecords = [
  ...sentence(
    'APPROVAL-01',
    'A saved approval loads with its approval and its snapshot, and without a decision.',
    {
      needs,
      check: async ({ open }) => {
        const snapshot = { checkpoint: checkpoint(), currentMessages: [user('hi')], remainingToolCalls: [] };
        const question = { text: 'Where?', options: ['Lisbon'] };
        const asked = approval({ kind: 'question', question, subagentPath: ['a', 'b'] });
        await (await open()).approvals.save(asked, snapshot);
        promiseSame('another client loads', await (await open()).approvals.load('approval-1'), {
          approval: asked,
          snapshot,
        });
      },
    },
  ),
  ...sentence('APPROVAL-02', 'Loading an unknown id gives `null`.', {
    needs,
    check: async ({ open }) => {
      promiseSame('an unknown id loads as', await (await open()).approvals.load('nobody'), null);
    },
  }),
  ...sentence(
    'APPROVAL-03',
    '`list` gives the undecided ones, oldest first by the instant `createdAt`, then by id.',
    {
      needs,
      check: async ({ open }) => {
        const { approvals } = await open();
        const times = {
          b: '2030-01-02T00:00:00.000Z',
          c: '2030-01-01T00:00:00.000Z',
          a: '2030-01-02T00:00:00.000Z',
        };
        for (const [id, createdAt] of Object.entries(times))
          await approvals.save(approval({ id, createdAt }), {});
        promiseSame('the listed ids', await listedIds(approvals), ['c', 'a', 'b']);
        promiseSame('the first one', (await approvals.list())[0], approval({ id: 'c', createdAt: times.c }));
      },
    },
    {
      name: 'by-instant',
      needs,
      check: async ({ open }) => {
        const { approvals } = await open();
        const times = {
          third: '2030-01-01T00:00:00.500Z',
          second: '2030-01-01T00:00:00Z',
          first: '2030-01-01T01:30:00+02:00',
          fourth: '2029-12-31T23:30:00-01:00',
        };
        for (const [id, createdAt] of Object.entries(times))
          await approvals.save(approval({ id, createdAt }), {});
        promiseSame('the listed ids', await listedIds(approvals), ['first', 'second', 'third', 'fourth']);
      },
    },
  ),
  ...sentence('APPROVAL-08', 'Saving an undecided id again replaces it.', {
    needs,
    check: async ({ open }) => {
      const { approvals } = await open();
      await approvals.save(approval({ args: 1 }), { step: 1 });
      const again = approval({ args: 2, createdAt: '2030-01-05T00:00:00.000Z' });
      await approvals.save(again, {});
      promiseSame('what is loaded', await approvals.load('approval-1'), { approval: again, snapshot: {} });
      promiseSame('the listed ids', await listedIds(approvals), ['approval-1']);
    },
  }),
  ...sentence(
    'APPROVAL-10',
    '`delete` removes the approval and its decision; the id can be saved and decided anew.',
    {
      needs,
      check: async ({ open }) => {
        const { approvals } = await open();
        for (const isDecided of [false, true]) {
          await approvals.save(approval(), {});
          if (isDecided) await approvals.decide('approval-1', decision());
          await approvals.delete('approval-1');
          promiseSame('the deleted one loads as', await approvals.load('approval-1'), null);
          promiseSame('the listed ids', await listedIds(approvals), []);
          promiseSame('deciding it', await approvals.decide('approval-1', decision()), 'not-found');
          await approvals.save(approval({ args: 2 }), {});
          const anew = { approval: approval({ args: 2 }), snapshot: {} };
          promiseSame('saved anew it loads as', await approvals.load('approval-1'), anew);
          promiseSame('deciding it then', await approvals.decide('approval-1', decision()), 'decided');
          await approvals.delete('approval-1');
        }
      },
    },
  ),
  ...sentence('APPROVAL-11', 'Deleting an unknown id succeeds.', {
    needs,
    check: async ({ open }) => {
      const { approvals } = await open();
      await approvals.delete('nobody');
      promiseSame('it loads as', await approvals.load('nobody'), null);
    },
  }),
  ...sentence('APPROVAL-12', 'Deciding or deleting one approval leaves every other as it is.', {
    needs,
    check: async ({ open }) => {
      const { approvals } = await open();
      for (const id of ['a', 'b', 'c', 'aa']) await approvals.save(approval({ id }), {});
      await approvals.decide('a', decision({ id: 'a' }));
      await approvals.delete('c');
      promiseSame('the listed ids', await listedIds(approvals), ['aa', 'b']);
      promiseSame('the decision of `a`', (await approvals.load('a'))?.decision, decision({ id: 'a' }));
    },
  }),
];

export async function listedIds(approvals: Client['approvals']): Promise<string[]> {
  return (await approvals.list()).map(({ id }) => id);
}
