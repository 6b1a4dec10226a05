import { promiseRefusal } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';

const needs = { methods: ['checkpoints.renewLeases'] } as const;
const INVALID = 'LOUSHO_CONFIG_INVALID';

/** The same arguments where they come in a list. */
export const refusalManyLeases = [
  ...sentence(
    'REFUSAL-05',
    'An owner that is no string of 1 to 200 characters is refused with `LOUSHO_CONFIG_INVALID`.',
    {
      name: 'many',
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const owner of ['', 'x'.repeat(201), 1, null, undefined] as readonly string[]) {
          const renew = () => checkpoints.renewLeases([{ sessionId: ID, owner }], TTL);
          await promiseRefusal(`renewLeases() by ${show(owner)}`, INVALID, renew);
        }
      },
    },
  ),
  ...sentence(
    'REFUSAL-06',
    'A `ttlMs` that is not above 0 and at most a year is refused with `LOUSHO_CONFIG_INVALID`.',
    {
      name: 'many',
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1000'] as readonly number[]) {
          const renew = () => checkpoints.renewLeases([], ttlMs);
          await promiseRefusal(`renewLeases() for ${show(ttlMs)} ms`, INVALID, renew);
        }
      },
    },
  ),
];
