import { errorOf, promiseSame } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { checkpoint } from '../../world/builders.js';
import type { World } from '../../world/world.js';
import { BASIC } from '../methods.js';

const needs = { methods: BASIC };

/** Ids that a store could take for each other: it may not refuse the second one either. */
export const idAlike = [
  ...sentence('ID-03', 'Ids that differ only in case name different records.', {
    name: 'accepted',
    needs,
    check: (world) => promiseOwnRecords(world, ['Order-7', 'order-7', 'ORDER-7', 'ordeR-7']),
  }),
  ...sentence(
    'ID-05',
    'An id that is the beginning of another, such as `a` of `a.turn-1`, names a record of its own.',
    {
      name: 'long',
      needs,
      check: (world) =>
        promiseOwnRecords(
          world,
          [238, 239, 240].map((length) => 'a'.repeat(length)),
        ),
    },
  ),
];

async function promiseOwnRecords({ open }: World, ids: readonly string[]): Promise<void> {
  const { checkpoints } = await open();
  const errors: unknown[] = [];
  for (const sessionId of ids) {
    errors.push(
      await errorOf(() => checkpoints.save(sessionId, checkpoint({ sessionId, businessState: sessionId }))),
    );
  }
  promiseSame('the saves that fail are', errors.filter(Boolean).map(show), []);
  const states: unknown[] = [];
  for (const sessionId of ids) states.push((await checkpoints.load(sessionId))?.businessState);
  promiseSame('each id loads as its own save', states, ids);
}
