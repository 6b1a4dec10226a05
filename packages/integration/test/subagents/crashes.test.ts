import { describe, expect, it } from 'vitest';
import { calls } from '../approval/support/workshop.js';
import { onFullStores } from '../harness/on-stores.js';
import { moreThanOn, strideOn } from '../harness/stride.js';
import { task } from './support/team.js';
import { exploreTeamCrashes, type TeamScenario } from './support/team-crashes.js';

const isDeep = process.env.DEEP === '1';

const payer = (durable: boolean) => ({
  turns: [calls('look'), calls('pay'), calls('note'), 'Paid.'],
  open: ['look', 'note'],
  gated: ['pay'],
  durable,
});

const TWO_PAUSES: TeamScenario = {
  turns: [[task('t1', 'payer'), { id: 'sign' }, task('t2', 'tipper')], 'Done.'],
  gated: ['sign'],
  members: {
    payer: { turns: [calls('pay'), calls('bill'), 'Paid.'], gated: ['pay', 'bill'], durable: true },
    tipper: { turns: [calls('tip'), 'Tipped.'], gated: ['tip'] },
  },
  atMostOnce: ['pay', 'bill', 'sign', 'tip'],
  goOnInPlace: ['payer'],
};

const SCENARIOS: Readonly<Record<string, TeamScenario>> = {
  'a sub-agent that works without asking': {
    turns: [[task('t1', 'helper')], 'Done.'],
    members: { helper: { turns: [calls('look'), 'Seen.'], open: ['look'] } },
  },
  'a sub-agent that pauses for an approval': {
    turns: [[task('t1', 'payer')], 'Done.'],
    members: { payer: payer(false) },
    atMostOnce: ['pay'],
  },
  'a durable sub-agent': {
    turns: [[task('t1', 'helper')], 'Done.'],
    members: { helper: { turns: [calls('look', 'note'), 'Seen.'], open: ['look', 'note'], durable: true } },
    goOnInPlace: ['helper'],
  },
  'a durable sub-agent that pauses for an approval': {
    turns: [[task('t1', 'payer')], 'Done.'],
    members: { payer: payer(true) },
    atMostOnce: ['pay'],
    goOnInPlace: ['payer'],
  },
  'a durable sub-agent whose call is rejected, and one that runs at most once': {
    turns: [[task('t1', 'payer')], 'Done.'],
    members: {
      payer: { turns: [calls('pay', 'once'), 'Paid.'], gated: ['pay'], once: ['once'], durable: true },
    },
    atMostOnce: ['once'],
    rejects: ['pay'],
    goOnInPlace: ['payer'],
  },
  'two pauses, of two sub-agents beside a call of the lead': TWO_PAUSES,
  'a durable sub-agent of a sub-agent that pauses for an approval': {
    maxSubagentDepth: 2,
    turns: [[task('t1', 'chief')], 'Done.'],
    members: {
      chief: {
        turns: [[task('t2', 'payer')], 'Chief is done.'],
        members: { payer: { turns: [calls('pay'), 'Paid.'], gated: ['pay'], durable: true } },
        durable: true,
      },
    },
    atMostOnce: ['pay'],
    goOnInPlace: ['chief', 'payer'],
  },
  'a sub-agent of a sub-agent that pauses for an approval, neither durable': {
    maxSubagentDepth: 2,
    turns: [[task('t1', 'chief')], 'Done.'],
    members: {
      chief: {
        turns: [[task('t2', 'payer')], 'Chief is done.'],
        members: { payer: { turns: [calls('pay'), 'Paid.'], gated: ['pay'] } },
      },
    },
    atMostOnce: ['pay'],
  },
  'a task in the background that needs a person': {
    turns: [
      [task('t1', 'payer', { background: true })],
      [{ id: 'a1', tool: 'agent_await', args: { taskId: 'task-1-0' } }],
      'Done.',
    ],
    members: { payer: { turns: [calls('pay'), 'Paid.'], gated: ['pay'] } },
    atMostOnce: ['pay'],
    isParallel: true,
  },
  'a durable task in the background that needs a person': {
    turns: [
      [task('t1', 'payer', { background: true })],
      [{ id: 'a1', tool: 'agent_await', args: { taskId: 'task-1-0' } }],
      'Done.',
    ],
    members: { payer: { turns: [calls('pay'), 'Paid.'], gated: ['pay'], durable: true } },
    atMostOnce: ['pay'],
    isParallel: true,
  },
  'two pauses, of two sub-agents beside a call of the lead, all at once': { ...TWO_PAUSES, isParallel: true },
};

describe('a lead that dies at any operation', { timeout: 600_000 }, () => {
  onFullStores((newStorage, kind) => {
    it.each(Object.entries(SCENARIOS))(
      '%s: it is finished, no call that runs at most once runs twice, the usage is what the model served',
      async (_, scenario) => {
        const every = kind === 'memory' && scenario.isParallel && !isDeep ? 3 : strideOn(kind, 23);
        const report = await exploreTeamCrashes(scenario, newStorage, { every });
        expect(report.problems).toEqual([]);
        expect(report.explored).toBeGreaterThan(moreThanOn(kind, 20, 1));
      },
    );

    it('also when the process that goes on dies as well', async () => {
      for (const scenario of Object.values(SCENARIOS)) {
        const { problems } = await exploreTeamCrashes(scenario, newStorage, {
          every: kind === 'memory' && !isDeep ? 13 : strideOn(kind, 47),
          second: (index) => ({ n: 1 + ((index * 7) % 31), side: index % 2 === 0 ? 'after' : 'before' }),
        });
        expect(problems).toEqual([]);
      }
    });
  });
});
