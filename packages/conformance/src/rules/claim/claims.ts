import { promise, promiseSame } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { CLAIMS, type ClaimName } from '../../model/needs.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, user } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { methodsOf } from '../../world/client.js';
import { BASIC, FENCED } from '../methods.js';

export const claimClaims = [
  ...sentence(
    'CLAIM-01',
    'Every capability is one of the values above, and `graceMs` and the limits are numbers.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { capabilities = {} } = (await open()).checkpoints as Partial<Client['checkpoints']>;
        for (const name of Object.keys(CLAIMS) as ClaimName[]) {
          const values: readonly unknown[] = [...CLAIMS[name], undefined];
          promise(
            `${name} is one of ${CLAIMS[name].join(', ')}`,
            values.includes(capabilities[name]),
            capabilities[name],
          );
        }
        const { graceMs = 0, limits = {} } = capabilities;
        promise(
          'graceMs is a number of milliseconds from 0 on',
          Number.isFinite(graceMs) && graceMs >= 0,
          graceMs,
        );
        for (const [name, limit] of Object.entries(limits)) {
          promise(
            `limits.${name} is a number above 0`,
            Number.isFinite(limit) && Number(limit) > 0,
            show(limit),
          );
        }
      },
    },
  ),
  ...sentence(
    'CLAIM-02',
    'A store that declares `fencing` has `acquireLease`, `renewLease`, `releaseLease` and `saveIfLeased`.',
    {
      needs: { fencing: ['atomic', 'best-effort'] },
      check: async ({ open }) => {
        const there = methodsOf(await open());
        promiseSame(
          'methods that are missing',
          FENCED.filter((method) => !there.has(method)),
          [],
        );
      },
    },
  ),
  ...sentence(
    'CLAIM-03',
    'A store that declares none has no `saveIfLeased`: nobody relies on a fence that is not there.',
    {
      needs: { methods: BASIC, fencing: ['none'] },
      check: async ({ open }) => {
        const there = methodsOf(await open());
        promise(
          'a store that declares no fencing has no saveIfLeased()',
          !there.has('checkpoints.saveIfLeased'),
          'it has one',
        );
      },
    },
  ),
  ...sentence('CLAIM-04', "With `reach: 'process'` there is no way into the storage from another process.", {
    needs: { methods: BASIC, reach: ['process'] },
    check: async ({ config }) => {
      promiseSame('the way into the storage from another process', config, undefined);
    },
  }),
  ...sentence(
    'CLAIM-05',
    "With `reads: 'eventual'` a load gives `null` or a checkpoint that was saved before, whole.",
    {
      needs: { methods: BASIC, reads: ['eventual'] },
      under: 'concurrency',
      check: async ({ open }) => {
        const [writer, reader] = [(await open()).checkpoints, (await open()).checkpoints];
        for (let revision = 1; revision <= 20; revision++) {
          await writer.save(
            ID,
            checkpoint({ revision, messages: [user(`${revision}`)], businessState: revision }),
          );
          const loaded = await reader.load(ID);
          const seen = loaded?.revision;
          const isOne =
            loaded === null || (loaded.businessState === seen && loaded.messages[0]?.content === `${seen}`);
          promise('a load gives `null` or one save, whole', isOne, show(loaded));
          promise('it was saved before', seen === undefined || seen <= revision, seen);
        }
      },
    },
  ),
];
