import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { BASIC } from '../methods.js';
import { whileRunning } from '../while-running.js';

const needs = {
  methods: [...BASIC, 'checkpoints.history'],
  fencing: ['atomic'],
  reads: ['latest'],
} as const;

/** The history beside saves that are under way. */
export const historyAtOnce = [
  ...sentence(
    'HISTORY-02',
    'Each accepted save is one entry, newest first, with `step`, `savedAt`, `status` and the whole checkpoint.',
    {
      name: 'at-once',
      needs,
      under: 'concurrency',
      check: async ({ open }) => {
        const clients = await Promise.all([open(), open()]);
        const steps = Array.from({ length: 12 }, (_, index) => index);
        await Promise.all(
          steps.map((stepIndex) =>
            (clients[stepIndex % 2] as Client).checkpoints.save(ID, checkpoint({ stepIndex })),
          ),
        );
        const [{ checkpoints }] = clients;
        const kept = await checkpoints.history(ID);
        const seen = kept.map(({ step }) => step);
        promiseSame(
          'the entries of twelve saves at once',
          [...seen].sort((x, y) => x - y),
          steps,
        );
        promiseSame('the newest entry', kept[0]?.checkpoint, await checkpoints.load(ID));
      },
    },
  ),
  ...sentence('HISTORY-12', "The newest entry's checkpoint equals what `load` gives.", {
    name: 'in-flight',
    needs,
    under: 'concurrency',
    check: async ({ open }) => {
      const [writer, reader] = [(await open()).checkpoints, (await open()).checkpoints];
      const writing = (async () => {
        for (let revision = 1; revision <= 30; revision++) await writer.save(ID, checkpoint({ revision }));
      })();
      await whileRunning(writing, async () => {
        const loaded = (await reader.load(ID))?.revision ?? 0;
        const newest = (await reader.history(ID))[0]?.checkpoint.revision ?? 0;
        promise(
          `after revision ${loaded} was loaded the newest entry is it or a later one`,
          newest >= loaded,
          `revision ${newest}`,
        );
        const then = (await reader.load(ID))?.revision ?? 0;
        promise(
          `after an entry of revision ${newest} was seen, it or a later one is loaded`,
          then >= newest,
          `revision ${then}`,
        );
      });
    },
  }),
];
