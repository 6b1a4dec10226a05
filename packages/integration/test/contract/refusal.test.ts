import { type Checkpoint, SDKError } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { approval, checkpoint, decision, user } from '../harness/builders.js';
import { onCheckpointStores, onFullStores } from '../harness/on-stores.js';
import { errorOf, refusalOf } from '../harness/refusal-of.js';
import type { FullStore } from '../harness/store-kind.js';
import { nested } from '../harness/values.js';

class Money {
  readonly amount = 42;
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;

const throwing = {
  get secret(): string {
    throw new Error('no');
  },
};

/** What is refused, the path of the offending value below the value itself, and the word for it. */
const REFUSED: readonly [name: string, value: unknown, path: string, word: string][] = [
  ['a BigInt', { total: 10n }, '.total', 'bigint'],
  ['a Map', { seen: new Map([['a', 1]]) }, '.seen', 'Map'],
  ['a Set', { seen: new Set([1]) }, '.seen', 'Set'],
  ['a Date', { at: new Date(0) }, '.at', 'Date'],
  ['NaN', { total: Number.NaN }, '.total', 'NaN'],
  ['Infinity', [1, Number.POSITIVE_INFINITY], '[1]', 'Infinity'],
  ['-Infinity', [Number.NEGATIVE_INFINITY], '[0]', '-Infinity'],
  ['a cycle', { cycle }, '.cycle.self', 'cycle'],
  ['a function', { callback: () => {} }, '.callback', 'function'],
  ['undefined in an array', { list: [1, undefined] }, '.list[1]', 'undefined'],
  ['a class instance', { price: new Money() }, '.price', 'Money'],
  ['a symbol', { 'odd key': Symbol('x') }, '["odd key"]', 'symbol'],
  ['an Error', { cause: new RangeError('x') }, '.cause', 'RangeError'],
  ['a regular expression', { match: /x/ }, '.match', 'RegExp'],
  ['another typed array', { floats: new Float64Array(1) }, '.floats', 'Float64Array'],
  ['a getter that throws', throwing, '.secret', 'getter'],
];

const BAD_CHECKPOINTS: readonly [name: string, record: unknown][] = [
  ['null', null],
  ['a string', 'x'],
  ['an array', []],
  ['another session id', checkpoint({ sessionId: 'other' })],
  ['no messages', { sessionId: 'refund-42', stepIndex: 1 }],
  ['messages that are no array', checkpoint({ messages: {} as never })],
  ['a fraction of a step', checkpoint({ stepIndex: 1.5 })],
  ['a negative step', checkpoint({ stepIndex: -1 })],
  ['a step as text', checkpoint({ stepIndex: '1' as never })],
  ['revision 0', checkpoint({ revision: 0 })],
  ['a revision as text', checkpoint({ revision: '1' as never })],
  ['an unknown status', checkpoint({ status: 'done' as never })],
];

const BAD_LIMITS = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null] as number[];

async function expectConfigInvalid(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  expect(await Promise.all(calls.map(refusalOf))).toEqual(calls.map(() => 'LOUSHO_CONFIG_INVALID'));
}

describe('REFUSAL', () => {
  onCheckpointStores((newStorage) => {
    it.each(REFUSED)(
      'REFUSAL-01 %s is refused with its path, and nothing is written',
      async (_, value, path, word) => {
        const { checkpoints } = newStorage().open();
        await checkpoints.save('refund-42', checkpoint({ revision: 1 }));
        const before = await checkpoints.history('refund-42');
        const places: [string, Partial<Checkpoint>][] = [
          ['checkpoint.businessState', { businessState: value }],
          [
            'checkpoint.messages[1].metadata.value',
            { messages: [user('a'), { ...user('b'), metadata: { value } }] },
          ],
        ];
        for (const [start, fields] of places) {
          const error = await errorOf(() =>
            checkpoints.save('refund-42', checkpoint({ revision: 2, ...fields })),
          );
          expect(error?.code).toBe('LOUSHO_VALUE_INVALID');
          expect(error?.detail).toContain(`\`${start}${path}\``);
          expect(error?.detail).toContain(word);
        }
        expect(await checkpoints.history('refund-42')).toEqual(before);
        expect(await checkpoints.load('refund-42')).toEqual(checkpoint({ revision: 1 }));
      },
    );

    it('REFUSAL-01 nothing is stored under an id whose only save was refused', async () => {
      const { checkpoints } = newStorage().open();
      expect(
        await refusalOf(() => checkpoints.save('refund-42', checkpoint({ metadata: { n: 1n } }))),
      ).not.toBe('none');
      expect(await checkpoints.load('refund-42')).toBeNull();
      expect(await checkpoints.list()).toEqual([]);
      expect(await checkpoints.history('refund-42')).toEqual([]);
    });

    it('REFUSAL-02 values nested deeper than 2,000 levels are refused', async () => {
      const { checkpoints } = newStorage().open();
      for (const levels of [2_001, 20_000]) {
        const deep = checkpoint({ businessState: nested(levels) });
        expect(await refusalOf(() => checkpoints.save('refund-42', deep))).toBe('LOUSHO_VALUE_INVALID');
      }
    });

    it.each(BAD_CHECKPOINTS)('REFUSAL-03 a checkpoint that is or has %s is refused', async (_, record) => {
      const { checkpoints } = newStorage().open();
      await expectConfigInvalid([() => checkpoints.save('refund-42', record as Checkpoint)]);
      expect(await checkpoints.load('refund-42')).toBeNull();
    });

    it.each([-1, 0.5, 2, Number.NaN, '1'])(
      'REFUSAL-04 vouching for %s of one message is refused',
      async (count) => {
        const { checkpoints } = newStorage().open();
        const unchangedMessages = count as number;
        await expectConfigInvalid([() => checkpoints.save('refund-42', checkpoint(), { unchangedMessages })]);
      },
    );

    it('REFUSAL-07 bad limits, ids behind and statuses are refused', async () => {
      const { checkpoints } = newStorage().open();
      await expectConfigInvalid([
        ...BAD_LIMITS.flatMap((limit) => [
          () => checkpoints.list({ limit }),
          () => checkpoints.history('a', { limit }),
        ]),
        () => checkpoints.list({ after: 1 as never }),
        () => checkpoints.list({ status: 'done' as never }),
      ]);
    });

    it.each([-1, 1.5, Number.NaN, '5'])(
      'REFUSAL-10 a historyLimit of %s is refused when the store is made',
      (limit) => {
        const { open } = newStorage();
        const make = () => open({ historyLimit: limit as number });
        expect(make).toThrow(SDKError);
        expect(make).toThrow(/historyLimit/);
      },
    );

    it('REFUSAL-12 every refusal is an SDKError with a hint, without the content of a message', async () => {
      const { checkpoints } = newStorage().open();
      const secret = 'card 4111-1111';
      const messages = [user(secret), { ...user(secret), metadata: { note: secret, bad: 1n } }];
      const calls = [
        () => checkpoints.save('refund-42', checkpoint({ messages })),
        () => checkpoints.save('refund-42', checkpoint({ messages: [user(secret)], stepIndex: -1 })),
        () => checkpoints.save('bad/id', checkpoint({ sessionId: 'bad/id', messages: [user(secret)] })),
      ];
      for (const call of calls) {
        const error = await errorOf(call);
        expect(error).toBeInstanceOf(SDKError);
        expect(error?.hint).not.toBe('');
        expect(error?.message).not.toContain(secret);
      }
    });
  });

  onFullStores((newStorage) => {
    it.each(REFUSED)(
      'REFUSAL-01 %s is refused by every method that stores a value',
      async (_, value, path) => {
        const store = newStorage().open();
        const { approvals, checkpoints, sessions } = store;
        await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
        await approvals.save(approval(), {});
        const calls = [
          () => checkpoints.saveIfLeased('refund-42', checkpoint({ businessState: value }), 'worker-a'),
          () => approvals.save(approval({ id: 'new', args: value }), {}),
          () => approvals.save(approval({ id: 'new' }), { extra: value }),
          () => approvals.decide('approval-1', decision({ by: value })),
          () => sessions.saveIf('chat-1', 0, [{ ...user('a'), metadata: { value } }]),
        ];
        for (const call of calls) {
          const error = await errorOf(call);
          expect(error?.code).toBe('LOUSHO_VALUE_INVALID');
          expect(error?.detail).toContain(`${path}\``);
        }
        expect(await checkpoints.load('refund-42')).toBeNull();
        expect(await approvals.load('new')).toBeNull();
        expect((await approvals.load('approval-1'))?.decision).toBeUndefined();
        expect(await sessions.load('chat-1')).toBeNull();
      },
    );

    it.each(BAD_CHECKPOINTS)('REFUSAL-03 a fenced save of %s is refused', async (_, record) => {
      const { checkpoints } = newStorage().open();
      await checkpoints.acquireLease('refund-42', 'worker-a', 30_000);
      await expectConfigInvalid([
        () => checkpoints.saveIfLeased('refund-42', record as Checkpoint, 'worker-a'),
        () => checkpoints.saveIfLeased('refund-42', checkpoint(), 'worker-a', { unchangedMessages: 2 }),
      ]);
      expect(await checkpoints.load('refund-42')).toBeNull();
    });

    it.each(['', 'x'.repeat(201), 1, null, undefined])('REFUSAL-05 the owner %s is refused', async (bad) => {
      const { checkpoints } = newStorage().open();
      const owner = bad as string;
      await expectConfigInvalid([
        () => checkpoints.acquireLease('a', owner, 1_000),
        () => checkpoints.renewLease('a', owner, 1_000),
        () => checkpoints.renewLeases([{ sessionId: 'a', owner }], 1_000),
        () => checkpoints.releaseLease('a', owner),
        () => checkpoints.saveIfLeased('a', checkpoint({ sessionId: 'a' }), owner),
      ]);
      expect(await checkpoints.acquireLease('a', 'x'.repeat(200), 1_000)).toBeTruthy();
    });

    it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1000', undefined])(
      'REFUSAL-06 the ttl %s is refused',
      async (bad) => {
        const { checkpoints } = newStorage().open();
        const ttlMs = bad as number;
        await expectConfigInvalid([
          () => checkpoints.acquireLease('a', 'worker-a', ttlMs),
          () => checkpoints.renewLease('a', 'worker-a', ttlMs),
          () => checkpoints.renewLeases([], ttlMs),
        ]);
        expect(await checkpoints.acquireLease('a', 'worker-b', 1_000)).toBeTruthy();
      },
    );

    it('REFUSAL-07 listPending refuses bad pages', async () => {
      const { checkpoints } = newStorage().open();
      await expectConfigInvalid([
        ...BAD_LIMITS.map((limit) => () => checkpoints.listPending({ limit })),
        () => checkpoints.listPending({ after: 1 as never }),
      ]);
    });

    it('REFUSAL-08 approvals without an instant and decisions without a verdict are refused', async () => {
      const { approvals } = newStorage().open();
      await approvals.save(approval(), {});
      await expectConfigInvalid([
        () => approvals.save(approval({ id: 'new', createdAt: 'yesterday' }), {}),
        () => approvals.save(approval({ id: 'new', createdAt: undefined as never }), {}),
        () => approvals.save(null as never, {}),
        () => approvals.save(approval({ id: 'new' }), null as never),
        () => approvals.decide('approval-1', decision({ approved: 'yes' as never })),
        () => approvals.decide('approval-1', null as never),
      ]);
      expect(await approvals.load('new')).toBeNull();
      expect(await approvals.decide('approval-1', decision())).toBe('decided');
    });

    it('REFUSAL-09 bad expected revisions and transcripts are refused', async () => {
      const { sessions } = newStorage().open();
      await expectConfigInvalid([
        ...[-1, 0.5, Number.NaN, '0', null].map(
          (expected) => () => sessions.saveIf('a', expected as number, []),
        ),
        () => sessions.saveIf('a', 0, 'x' as never),
        () => sessions.saveIf('a', 0, null as never),
      ]);
      expect(await sessions.load('a')).toBeNull();
    });

    it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '0', undefined])(
      'REFUSAL-11 pruning by the age %s is refused',
      async (bad) => {
        const store: FullStore = newStorage().open();
        await store.checkpoints.save('a', checkpoint({ sessionId: 'a', status: 'finished' }));
        await expectConfigInvalid([() => store.prune({ olderThanMs: bad as number })]);
        expect(await store.checkpoints.load('a')).not.toBeNull();
      },
    );
  });
});
