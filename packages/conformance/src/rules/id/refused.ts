import { promiseRefusal, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, decision, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { APPROVALS, BASIC, SESSIONS } from '../methods.js';
import { BAD_IDS } from './examples.js';

const INVALID = 'LOUSHO_SESSION_ID_INVALID';

export const idRefused = [
  ...sentence(
    'ID-02',
    'Anything else is refused with `LOUSHO_SESSION_ID_INVALID` by every method that takes such an id, and nothing is stored.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const id of BAD_IDS) {
          for (const [name, call] of checkpointCalls(checkpoints, id))
            await promiseRefusal(name, INVALID, call);
        }
        const { list } = checkpoints as Partial<Client['checkpoints']>;
        if (list) promiseSame('the list is', await list.call(checkpoints), []);
      },
    },
    {
      name: 'sessions',
      needs: { methods: SESSIONS },
      check: async ({ open }) => {
        const { sessions } = await open();
        for (const id of BAD_IDS) {
          await promiseRefusal(`load(${JSON.stringify(id)})`, INVALID, () => sessions.load(id));
          await promiseRefusal(`saveIf(${JSON.stringify(id)})`, INVALID, () => sessions.saveIf(id, 0, []));
          await promiseRefusal(`delete(${JSON.stringify(id)})`, INVALID, () => sessions.delete(id));
        }
      },
    },
  ),
  ...sentence(
    'ID-07',
    'An approval id is 1 to 200 such characters; saving any other is refused with `LOUSHO_APPROVAL_ID_INVALID`.',
    {
      needs: { methods: APPROVALS },
      check: async ({ open }) => {
        const { approvals } = await open();
        await approvals.save(approval({ id: 'x'.repeat(200) }), {});
        for (const id of [...BAD_IDS, 'x'.repeat(201)]) {
          const save = () => approvals.save(approval({ id }), {});
          await promiseRefusal(`saving ${JSON.stringify(id)}`, 'LOUSHO_APPROVAL_ID_INVALID', save);
        }
        promiseSame(
          'the listed ids',
          (await approvals.list()).map(({ id }) => id),
          ['x'.repeat(200)],
        );
      },
    },
  ),
  ...sentence(
    'ID-08',
    "Loading, deciding or deleting an approval under a malformed id answers `null`, `'not-found'` and success, never an error.",
    {
      needs: { methods: APPROVALS },
      check: async ({ open }) => {
        const { approvals } = await open();
        for (const id of BAD_IDS) {
          promiseSame('a malformed id loads as', await approvals.load(id), null);
          promiseSame('deciding a malformed id', await approvals.decide(id, decision({ id })), 'not-found');
          await approvals.delete(id);
        }
      },
    },
  ),
];

/** A call of every method that takes an id, by its name; only of those that are there. */
function checkpointCalls(
  checkpoints: Client['checkpoints'],
  id: string,
): readonly [string, () => Promise<unknown>][] {
  const calls: Partial<Record<keyof Client['checkpoints'], () => Promise<unknown>>> = {
    save: () => checkpoints.save(id, checkpoint({ sessionId: id })),
    load: () => checkpoints.load(id),
    delete: () => checkpoints.delete(id),
    history: () => checkpoints.history(id),
    acquireLease: () => checkpoints.acquireLease(id, 'worker-a', TTL),
    renewLease: () => checkpoints.renewLease(id, 'worker-a', TTL),
    renewLeases: () => checkpoints.renewLeases([{ sessionId: id, owner: 'worker-a' }], TTL),
    releaseLease: () => checkpoints.releaseLease(id, 'worker-a'),
    readLease: () => checkpoints.readLease(id),
    saveIfLeased: () => checkpoints.saveIfLeased(id, checkpoint({ sessionId: id }), 'worker-a'),
  };
  return Object.entries(calls)
    .filter(([name]) => typeof Reflect.get(checkpoints, name) === 'function')
    .map(([name, call]) => [`${name}(${JSON.stringify(id)})`, call]);
}
