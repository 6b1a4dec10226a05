import type { Message } from '@lousho/core/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approval, checkpoint, decision, user } from '../harness/builders.js';
import { onCheckpointStores, onFullStores } from '../harness/on-stores.js';
import { nested, seen, storable } from '../harness/values.js';

const RUNS = process.env.DEEP === '1' ? 2_000 : 60;

/** One value in each place of a checkpoint where a store might treat it differently. */
function carrying(value: unknown) {
  const metadata = { value };
  return checkpoint({
    messages: [
      { ...user('one'), metadata },
      { ...user('two'), metadata },
    ],
    businessState: value,
    metadata,
  });
}

/** A checkpoint with its own fields by name, the only place where the order is free. */
function seenCheckpoint(record: object | null | undefined): unknown {
  return seen(Object.fromEntries(Object.entries(record ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))));
}

describe('FIDELITY', () => {
  onCheckpointStores((newStorage) => {
    async function roundTrip(value: unknown) {
      const { checkpoints } = newStorage().open();
      await checkpoints.save('refund-42', carrying(value));
      return checkpoints.load('refund-42');
    }

    it('FIDELITY-01 what is loaded is deeply equal to what was saved, for any JSON and bytes', async () => {
      const { checkpoints } = newStorage().open();
      await fc.assert(
        fc.asyncProperty(storable, async (value) => {
          const saved = carrying(value);
          await checkpoints.save('refund-42', saved);
          expect(seenCheckpoint(await checkpoints.load('refund-42'))).toEqual(seenCheckpoint(saved));
          const [entry] = await checkpoints.history('refund-42', { limit: 1 });
          expect(seenCheckpoint(entry?.checkpoint)).toEqual(seenCheckpoint(saved));
        }),
        { numRuns: RUNS },
      );
    });

    it('FIDELITY-02 text comes back code unit by code unit', async () => {
      const text =
        '\u0000a\u0000 \ud800 \udc00\ud800 \ufeff\u2028\u2029 \\u0000 "quoted" \u{1f600} \u007f\u0080\uffff';
      const loaded = await roundTrip(text);
      expect(loaded?.businessState).toBe(text);
      expect(loaded?.messages[1]?.metadata).toEqual({ value: text });
    });

    it('FIDELITY-02 a message of text that looks like a record separator comes back', async () => {
      const { checkpoints } = newStorage().open();
      const messages = ['\n', '\r\n', '}\n{', '\t', "'; --", '%s', '\\'].map(user);
      await checkpoints.save('refund-42', checkpoint({ messages }));
      expect((await checkpoints.load('refund-42'))?.messages).toEqual(messages);
    });

    it('FIDELITY-03 keys come back in their order', async () => {
      const value = { zebra: 1, aa: 2, a: 3, Ä: 4, b: { y: 1, x: 2 } };
      const loaded = await roundTrip(value);
      expect(JSON.stringify(loaded?.businessState)).toBe(JSON.stringify(value));
      expect(JSON.stringify(loaded?.messages[0]?.metadata)).toBe(JSON.stringify({ value }));
    });

    it('FIDELITY-04 keys that JavaScript gives a meaning to are data', async () => {
      const value: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toJSON":"x"}');
      const loaded = await roundTrip(value);
      expect(seen(loaded?.businessState)).toEqual(seen(value));
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    it('FIDELITY-05 bytes come back as bytes at any depth', async () => {
      const all = Uint8Array.from({ length: 256 }, (_, index) => index);
      const value = { empty: new Uint8Array(), all, deep: [{ view: all.subarray(3, 7) }] };
      const loaded = await roundTrip(value);
      expect(loaded?.businessState).toEqual(value);
      expect(loaded?.businessState).toHaveProperty('all', expect.any(Uint8Array));
    });

    it.each([
      [{ $bytes: 'x' }],
      [{ $bytes: 'AAAA' }],
      [{ $$bytes: 'x' }],
      [{ $bytes: { $bytes: 'x' } }],
      [{ $bytes: 1, other: 2 }],
      ['{"$bytes":"AAAA"}'],
      [{ $bytes: new Uint8Array([1]) }],
    ])('FIDELITY-06 data that looks like encoded bytes comes back as that data: %j', async (value) => {
      const loaded = await roundTrip(value);
      expect(loaded?.businessState).toEqual(value);
      expect(loaded?.messages[0]?.metadata).toEqual({ value });
    });

    it('FIDELITY-07 numbers come back exactly', async () => {
      const value = [-0, 0, 1e21, 5e-324, Number.MAX_VALUE, 2 ** 53 - 1, 0.1 + 0.2, -1.5e-10];
      const loaded = (await roundTrip(value))?.businessState as number[];
      expect(loaded.map((number) => Object.is(number, -0))).toEqual(
        value.map((number) => Object.is(number, -0)),
      );
      expect(loaded).toEqual(value);
    });

    it('FIDELITY-07 a big number kept as text stays text', async () => {
      expect((await roundTrip('9007199254740993'))?.businessState).toBe('9007199254740993');
    });

    it('FIDELITY-08 a value nested 1,000 levels deep comes back', async () => {
      const loaded = await roundTrip(nested(1_000));
      expect(JSON.stringify(loaded?.businessState)).toBe(JSON.stringify(nested(1_000)));
      expect(JSON.stringify(loaded?.messages[1]?.metadata?.value)).toBe(JSON.stringify(nested(1_000)));
    });

    it('FIDELITY-09 an undefined property is left out', async () => {
      const loaded = await roundTrip({ kept: null, dropped: undefined });
      expect(Object.keys(loaded?.businessState as object)).toEqual(['kept']);
    });

    it('FIDELITY-10 changing an object after it was passed changes nothing stored, even before the save settled', async () => {
      const { checkpoints } = newStorage().open();
      const state = { count: 1, bytes: new Uint8Array([1]) };
      const tags = ['a'];
      const messages = [user('one'), { ...user('two'), metadata: { tags } }];
      const saving = checkpoints.save('refund-42', checkpoint({ messages, businessState: state }));
      state.count = 2;
      state.bytes[0] = 9;
      tags.push('b');
      messages.push(user('three'));
      await saving;
      state.count = 3;
      const loaded = await checkpoints.load('refund-42');
      expect(loaded?.businessState).toEqual({ count: 1, bytes: new Uint8Array([1]) });
      expect(loaded?.messages).toEqual([user('one'), { ...user('two'), metadata: { tags: ['a'] } }]);
    });

    it('FIDELITY-11 changing what was loaded or listed changes nothing stored', async () => {
      const { checkpoints } = newStorage().open();
      const saved = checkpoint({ businessState: { count: 1 } });
      await checkpoints.save('refund-42', saved);
      const copies = [
        await checkpoints.load('refund-42'),
        (await checkpoints.history('refund-42'))[0]?.checkpoint,
        (await checkpoints.list())[0]?.checkpoint,
      ];
      for (const copy of copies) {
        if (!copy) throw new Error('nothing was loaded');
        (copy.businessState as { count: number }).count = 2;
        (copy.messages as Message[]).push(user('added'));
      }
      expect(await checkpoints.load('refund-42')).toEqual(saved);
      expect((await checkpoints.history('refund-42'))[0]?.checkpoint).toEqual(saved);
    });

    it('FIDELITY-12 unknown fields come back', async () => {
      const { checkpoints } = newStorage().open();
      const saved = {
        ...checkpoint(),
        fromTheFuture: { a: [1] },
        head: 'x',
        rows: [1],
        savedAt: 'never',
        lease: null,
        toolCalls: [],
      };
      await checkpoints.save('refund-42', saved);
      expect(await checkpoints.load('refund-42')).toEqual(saved);
    });

    it('FIDELITY-13 a record without status and revision comes back without them', async () => {
      const { checkpoints } = newStorage().open();
      await checkpoints.save('refund-42', checkpoint());
      expect(Object.keys((await checkpoints.load('refund-42')) ?? {}).sort()).toEqual([
        'messages',
        'sessionId',
        'stepIndex',
      ]);
    });
  });

  onFullStores((newStorage) => {
    it('FIDELITY-01 approvals, decisions and transcripts come back deeply equal', async () => {
      const { approvals, sessions } = newStorage().open();
      await fc.assert(
        fc.asyncProperty(storable, async (value) => {
          await approvals.delete('approval-1');
          await approvals.save(approval({ args: value }), { extra: value });
          await approvals.decide('approval-1', decision({ by: value }));
          expect(seen(await approvals.load('approval-1'))).toEqual(
            seen({
              approval: approval({ args: value }),
              snapshot: { extra: value },
              decision: decision({ by: value }),
            }),
          );
          await sessions.delete('chat-1');
          const messages = [{ ...user('hello'), metadata: { value } }];
          await sessions.saveIf('chat-1', 0, messages);
          expect(seen((await sessions.load('chat-1'))?.messages)).toEqual(seen(messages));
        }),
        { numRuns: RUNS },
      );
    });

    it('FIDELITY-10 changing an approval or a transcript after it was passed changes nothing stored', async () => {
      const { approvals, sessions } = newStorage().open();
      const args = { order: 42 };
      const messages = [user('one')];
      const saving = [approvals.save(approval({ args }), {}), sessions.saveIf('chat-1', 0, messages)];
      args.order = 43;
      messages.push(user('two'));
      await Promise.all(saving);
      expect((await approvals.load('approval-1'))?.approval.args).toEqual({ order: 42 });
      expect((await sessions.load('chat-1'))?.messages).toEqual([user('one')]);
    });

    it('FIDELITY-11 changing a loaded approval or transcript changes nothing stored', async () => {
      const { approvals, sessions } = newStorage().open();
      await approvals.save(approval(), {});
      await sessions.saveIf('chat-1', 0, [user('one')]);
      const [loaded, [listed], transcript] = [
        await approvals.load('approval-1'),
        await approvals.list(),
        await sessions.load('chat-1'),
      ];
      if (!loaded || !listed || !transcript) throw new Error('nothing was loaded');
      for (const { args } of [loaded.approval, listed]) (args as { order: number }).order = 43;
      (transcript.messages as Message[]).push(user('two'));
      expect((await approvals.load('approval-1'))?.approval.args).toEqual({ order: 42 });
      expect((await sessions.load('chat-1'))?.messages).toEqual([user('one')]);
    });
  });
});
