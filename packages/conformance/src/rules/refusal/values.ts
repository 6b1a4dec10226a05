import { SDKError } from '@lousho/core/contract';
import { errorOf, promise, promiseRefusal, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, decision, ID, TTL, user } from '../../world/builders.js';
import { nested } from '../../world/values.js';
import { everything } from '../everything.js';
import { APPROVALS, BASIC, FENCED, SESSIONS } from '../methods.js';
import { REFUSED_VALUES } from './examples.js';

const INVALID = 'LOUSHO_VALUE_INVALID';

export const refusalValues = [
  ...sentence(
    'REFUSAL-01',
    'A value that is neither JSON nor `Uint8Array` is refused with `LOUSHO_VALUE_INVALID`, naming its path: BigInt, Map, Set, Date, NaN, an infinity, a cycle, a function, a symbol, `undefined` in an array, an instance of a class.',
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const client = await open();
        const { checkpoints } = client;
        const unsaved = await everything(client);
        for (const one of REFUSED_VALUES) {
          const saves = {
            'checkpoint.businessState': checkpoint({ businessState: one.value }),
            'checkpoint.messages[1].metadata.value': checkpoint({
              messages: [user('a'), { ...user('b'), metadata: { value: one.value } }],
            }),
          };
          for (const [start, save] of Object.entries(saves)) {
            const seen = await errorOf(() => checkpoints.save(ID, save));
            promiseNamed(one.name, seen, `${start}${one.path}`, one.word);
          }
        }
        promiseSame('nothing is stored', await everything(client), unsaved);
        await checkpoints.save(ID, checkpoint({ revision: 1 }));
        const before = await everything(client);
        for (const { value } of REFUSED_VALUES) {
          await errorOf(() => checkpoints.save(ID, checkpoint({ revision: 2, businessState: value })));
        }
        promiseSame('what is stored is as it was', await everything(client), before);
      },
    },
    {
      name: 'leased',
      needs: { methods: FENCED },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        for (const one of REFUSED_VALUES) {
          const save = checkpoint({ businessState: one.value });
          const seen = await errorOf(() => checkpoints.saveIfLeased(ID, save, 'worker-a'));
          promiseNamed(one.name, seen, `checkpoint.businessState${one.path}`, one.word);
        }
        promiseSame('nothing is stored', await checkpoints.load(ID), null);
      },
    },
    {
      name: 'approvals',
      needs: { methods: APPROVALS },
      check: async ({ open }) => {
        const { approvals } = await open();
        await approvals.save(approval(), {});
        for (const { name, value } of REFUSED_VALUES) {
          await promiseRefusal(`${name} as arguments`, INVALID, () =>
            approvals.save(approval({ id: 'new', args: value }), {}),
          );
          await promiseRefusal(`${name} in a snapshot`, INVALID, () =>
            approvals.save(approval({ id: 'new' }), { extra: value }),
          );
          await promiseRefusal(`${name} in a decision`, INVALID, () =>
            approvals.decide('approval-1', decision({ by: value })),
          );
        }
        promiseSame('no approval is stored', await approvals.load('new'), null);
        promiseSame('no decision is stored', (await approvals.load('approval-1'))?.decision, undefined);
      },
    },
    {
      name: 'sessions',
      needs: { methods: SESSIONS },
      check: async ({ open }) => {
        const { sessions } = await open();
        for (const { name, value } of REFUSED_VALUES) {
          const save = () => sessions.saveIf('chat-1', 0, [{ ...user('a'), metadata: { value } }]);
          await promiseRefusal(`${name} in a transcript`, INVALID, save);
        }
        promiseSame('nothing is stored', await sessions.load('chat-1'), null);
      },
    },
  ),
  ...sentence('REFUSAL-02', 'Values nested deeper than 2,000 levels are refused likewise.', {
    needs: { methods: BASIC },
    check: async ({ open }) => {
      const { checkpoints } = await open();
      for (const levels of [2_001, 20_000]) {
        const deep = checkpoint({ businessState: nested(levels) });
        await promiseRefusal(`nesting ${levels} levels deep`, INVALID, () => checkpoints.save(ID, deep));
      }
      promiseSame('nothing is stored', await checkpoints.load(ID), null);
    },
  }),
  ...sentence(
    'REFUSAL-12',
    "Every error of a store is an `SDKError` with a code and a hint, and its text holds nothing of a message's content.",
    {
      needs: { methods: BASIC },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const secret = 'card 4111-1111';
        const messages = [user(secret), { ...user(secret), metadata: { note: secret, bad: 1n } }];
        const calls = [
          () => checkpoints.save(ID, checkpoint({ messages })),
          () => checkpoints.save(ID, checkpoint({ messages: [user(secret)], stepIndex: -1 })),
          () => checkpoints.save('bad/id', checkpoint({ sessionId: 'bad/id', messages: [user(secret)] })),
        ];
        for (const call of calls) {
          const error = await errorOf(call);
          promise(
            'the error is an SDKError with a code and a hint',
            error instanceof SDKError && error.hint !== '',
            error,
          );
          promise('its text holds nothing of the message', !String(error).includes(secret), error);
        }
      },
    },
  ),
];

function promiseNamed(name: string, seen: unknown, path: string, word: string): void {
  const isNamed =
    seen instanceof SDKError &&
    seen.code === INVALID &&
    seen.detail.includes(`\`${path}\``) &&
    seen.detail.includes(word);
  promise(`${name} is refused with ${INVALID}, naming \`${path}\` and ${word}`, isNamed, seen);
}
