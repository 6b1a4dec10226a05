import { sentence } from '../../model/rule.js';
import type { Random } from '../../world/random.js';
import { FENCED } from '../methods.js';
import { raceForLeases, raceInProcesses } from './chain.js';
import { ACTS, type Act, playAgainstModel } from './model-run.js';

const needs = {
  methods: FENCED,
  fencing: ['atomic', 'best-effort'],
  clock: ['store', 'host', 'caller', 'observed'],
  seams: ['clock'],
} as const;

/** Thousands of calls, one after the other: more than half a minute on a busy server. */
const LONG_MS = 90_000;

export const fenceInterleavings = [
  ...sentence(
    'FENCE-12',
    'In every interleaving of saves, renewals, releases, deletes and take-overs by several owners, the accepted saves are those of the owner that held the id at that moment.',
    {
      needs,
      under: 'fault',
      timeLimitMs: LONG_MS,
      check: async (world) => {
        const clients = [await world.open(), await world.open()] as const;
        for (let round = 0; round < 25; round++) {
          const acts = Array.from(
            { length: 10 + world.random.int(30) },
            (): Act => ({
              owner: world.random.chance(0.75) ? 0 : 1,
              act: world.random.pick(OFTEN),
            }),
          );
          await playAgainstModel(world, clients, `run-${round}`, acts);
        }
      },
    },
    {
      name: 'three-steps',
      needs,
      under: 'fault',
      timeLimitMs: LONG_MS,
      check: async (world) => {
        const clients = [await world.open(), await world.open()] as const;
        for (const [index, acts] of threeSteps(world.random, 100).entries()) {
          await playAgainstModel(world, clients, `run-${index}`, [
            { owner: 0, act: 'acquire' },
            { owner: 0, act: 'save' },
            ...acts,
          ]);
        }
      },
    },
    {
      name: 'race',
      needs: { methods: FENCED, fencing: ['atomic'], seams: ['clock'] },
      under: 'concurrency',
      check: raceForLeases,
    },
    {
      name: 'processes',
      tier: 1,
      needs: { methods: FENCED, fencing: ['atomic'], reach: ['host', 'network'], seams: ['processes'] },
      under: 'concurrency',
      check: raceInProcesses,
    },
  ),
];

const OFTEN: readonly Act['act'][] = [
  ...ACTS,
  'save',
  'save',
  'save',
  'save',
  'save',
  'repeat',
  'late',
  'acquire',
  'acquire',
];

/** What two owners may do in three steps, behind a lease and a save of the first one: a sample of the 1,331 that there are. */
function threeSteps(random: Random, count: number): Act[][] {
  const steps: Act[] = [
    ...(['acquire', 'renew', 'release', 'delete', 'save'] as const).flatMap((act): Act[] => [
      { owner: 0, act },
      { owner: 1, act },
    ]),
    { owner: 0, act: 'wait-long' },
  ];
  return Array.from({ length: count }, () => [random.pick(steps), random.pick(steps), random.pick(steps)]);
}
