import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, decision, ID, user } from '../../world/builders.js';
import { nested, storable } from '../../world/values.js';
import { APPROVALS, BASIC, SESSIONS } from '../methods.js';
import { carrying, roundTrip } from './carrying.js';

const needs = { methods: BASIC };

export const fidelityValues = [
  ...sentence(
    'FIDELITY-01',
    'What is loaded is deeply equal to what was saved.',
    {
      needs,
      check: async ({ open, random }) => {
        const { checkpoints } = await open();
        for (let round = 0; round < 60; round++) {
          const saved = carrying(storable(random));
          await checkpoints.save(ID, saved);
          promiseSame('what is loaded', await checkpoints.load(ID), saved);
        }
      },
    },
    {
      name: 'history',
      needs: { methods: [...BASIC, 'checkpoints.history'] },
      check: async ({ open, random }) => {
        const { checkpoints } = await open();
        for (let round = 0; round < 20; round++) {
          const saved = carrying(storable(random));
          await checkpoints.save(ID, saved);
          const [entry] = await checkpoints.history(ID, { limit: 1 });
          promiseSame('what the history holds', entry?.checkpoint, saved);
        }
      },
    },
    {
      name: 'approvals',
      needs: { methods: APPROVALS },
      check: async ({ open, random }) => {
        const { approvals } = await open();
        for (let round = 0; round < 20; round++) {
          const [args, extra, by] = [storable(random), storable(random), storable(random)];
          await approvals.delete('approval-1');
          await approvals.save(approval({ args }), { extra });
          await approvals.decide('approval-1', decision({ by }));
          promiseSame('what is loaded', await approvals.load('approval-1'), {
            approval: approval({ args }),
            snapshot: { extra },
            decision: decision({ by }),
          });
        }
      },
    },
    {
      name: 'sessions',
      needs: { methods: SESSIONS },
      check: async ({ open, random }) => {
        const { sessions } = await open();
        for (let round = 0; round < 20; round++) {
          const messages = [{ ...user('hello'), metadata: { value: storable(random) } }];
          await sessions.delete('chat-1');
          await sessions.saveIf('chat-1', 0, messages);
          promiseSame('what is loaded', (await sessions.load('chat-1'))?.messages, messages);
        }
      },
    },
  ),
  ...sentence('FIDELITY-02', 'Text comes back code unit by code unit, NUL and lone surrogates included.', {
    needs,
    check: async (world) => {
      const text =
        '\u0000a\u0000 \ud800 \udc00\ud800 \ufeff\u2028\u2029 \\u0000 "quoted" \u{1f600} \u007f\u0080\uffff';
      for (const back of await roundTrip(world, text)) promiseSame('the text', back, text);
      const { checkpoints } = await world.open();
      const messages = ['\n', '\r\n', '}\n{', '\t', "'; --", '%s', '\\', text].map(user);
      await checkpoints.save(ID, checkpoint({ messages }));
      promiseSame('the messages', (await checkpoints.load(ID))?.messages, messages);
    },
  }),
  ...sentence(
    'FIDELITY-03',
    "An object's keys come back in the order in which they were saved; only a checkpoint's own fields may change places.",
    {
      needs,
      check: async (world) => {
        const value = { zebra: 1, aa: 2, a: 3, Ä: 4, b: { y: 1, x: 2 } };
        for (const back of await roundTrip(world, value))
          promiseSame('its JSON', JSON.stringify(back), JSON.stringify(value));
      },
    },
  ),
  ...sentence('FIDELITY-04', 'A key named `__proto__`, `constructor` or `toJSON` is data like any other.', {
    needs,
    check: async (world) => {
      const value: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toJSON":"x"}');
      for (const back of await roundTrip(world, value)) promiseSame('the value', back, value);
      const { polluted } = {} as { polluted?: boolean };
      promiseSame('other objects are changed', polluted, undefined);
    },
  }),
  ...sentence(
    'FIDELITY-05',
    'A `Uint8Array` comes back as a `Uint8Array` with the same bytes, at any depth, an empty one included.',
    {
      needs,
      check: async (world) => {
        const all = Uint8Array.from({ length: 256 }, (_, index) => index);
        const value = { empty: new Uint8Array(), all, deep: [{ view: all.subarray(3, 7) }] };
        for (const back of await roundTrip(world, value)) promiseSame('the value', back, value);
      },
    },
  ),
  ...sentence(
    'FIDELITY-06',
    'Data of the caller\'s that looks like encoded bytes, such as `{"$bytes": "x"}`, comes back as that data.',
    {
      needs,
      check: async (world) => {
        for (const value of LOOKS_LIKE_BYTES) {
          for (const back of await roundTrip(world, value)) promiseSame('the value', back, value);
        }
      },
    },
  ),
  ...sentence('FIDELITY-07', 'Every finite number comes back exactly, `-0` included.', {
    needs,
    check: async (world) => {
      const value = [-0, 0, 1e21, 5e-324, Number.MAX_VALUE, 2 ** 53 - 1, 0.1 + 0.2, -1.5e-10];
      for (const back of await roundTrip(world, value)) promiseSame('the numbers', back, value);
      for (const back of await roundTrip(world, '9007199254740993'))
        promiseSame('a number as text', back, '9007199254740993');
    },
  }),
  ...sentence('FIDELITY-08', 'A value nested 1,000 levels deep comes back.', {
    needs,
    check: async (world) => {
      const value = nested(1_000);
      for (const back of await roundTrip(world, value)) {
        promise(
          'the nested value comes back',
          JSON.stringify(back) === JSON.stringify(value),
          'another value',
        );
      }
    },
  }),
  ...sentence('FIDELITY-09', 'A property whose value is `undefined` is left out.', {
    needs,
    check: async (world) => {
      for (const back of await roundTrip(world, { kept: null, dropped: undefined })) {
        promiseSame('the keys', Object.keys(back as object), ['kept']);
      }
    },
  }),
  ...sentence('FIDELITY-12', 'Fields that a store does not know come back.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      const unknown = {
        fromTheFuture: { a: [1] },
        head: 'x',
        rows: [1],
        savedAt: 'never',
        lease: null,
        toolCalls: [],
      };
      const saved = { ...checkpoint(), ...unknown };
      await checkpoints.save(ID, saved);
      promiseSame('what is loaded', await checkpoints.load(ID), saved);
    },
  }),
  ...sentence('FIDELITY-13', 'A checkpoint without `status` and `revision` comes back without them.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.save(ID, checkpoint());
      const keys = Object.keys((await checkpoints.load(ID)) ?? {}).sort();
      promiseSame('the fields', keys, ['messages', 'sessionId', 'stepIndex']);
    },
  }),
];

const LOOKS_LIKE_BYTES: readonly unknown[] = [
  { $bytes: 'x' },
  { $bytes: 'AAAA' },
  { $$bytes: 'x' },
  { $bytes: { $bytes: 'x' } },
  { $bytes: 1, other: 2 },
  '{"$bytes":"AAAA"}',
  { $bytes: new Uint8Array([1]) },
];
