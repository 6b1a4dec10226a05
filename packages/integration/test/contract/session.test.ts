import { describe, expect, it } from 'vitest';
import { user } from '../harness/builders.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';

describe('SESSION', () => {
  onFullStores((newStorage) => {
    it('SESSION-01 an unknown id loads as null', async () => {
      expect(await newStorage().open().sessions.load('nobody')).toBeNull();
    });

    it('SESSION-02 SESSION-04 commits give revision 1, 2, 3, seen by every client', async () => {
      const { open } = newStorage();
      const [a, b] = [open().sessions, open().sessions];
      for (let expected = 0; expected < 3; expected++) {
        const [writer, reader] = expected % 2 ? [a, b] : [b, a];
        const messages = Array.from({ length: expected + 1 }, (_, index) => user(`${index}`));
        expect(await writer.saveIf('chat-1', expected, messages)).toBe(true);
        expect(await reader.load('chat-1')).toStrictEqual({ revision: expected + 1, messages });
      }
    });

    it('SESSION-03 any other expected revision changes nothing', async () => {
      const { sessions } = newStorage().open();
      expect(await sessions.saveIf('chat-1', 1, [user('stray')])).toBe(false);
      expect(await sessions.load('chat-1')).toBeNull();
      await sessions.saveIf('chat-1', 0, [user('one')]);
      await sessions.saveIf('chat-1', 1, [user('two')]);
      for (const expected of [0, 1, 3, 99]) {
        expect(await sessions.saveIf('chat-1', expected, [user('stray')])).toBe(false);
      }
      expect(await sessions.load('chat-1')).toStrictEqual({ revision: 2, messages: [user('two')] });
    });

    it('SESSION-05 of 16 commits at once exactly one is stored, round after round', async () => {
      const { open } = newStorage();
      const clients = [open(), open(), open(), open()];
      for (let expected = 0; expected < 5; expected++) {
        const answers = await Promise.all(
          Array.from({ length: 16 }, (_, index) =>
            (clients[index % 4] as FullStore).sessions.saveIf('chat-1', expected, [user(`by ${index}`)]),
          ),
        );
        const winners = answers.flatMap((isStored, index) => (isStored ? [index] : []));
        expect(winners).toHaveLength(1);
        expect(await (clients[1] as FullStore).sessions.load('chat-1')).toStrictEqual({
          revision: expected + 1,
          messages: [user(`by ${winners[0]}`)],
        });
      }
    });

    it('SESSION-06 a deleted transcript is none, and deleting an unknown one succeeds', async () => {
      const { sessions } = newStorage().open();
      await sessions.delete('nobody');
      await sessions.saveIf('chat-1', 0, [user('one')]);
      await sessions.delete('chat-1');
      await sessions.delete('chat-1');
      expect(await sessions.load('chat-1')).toBeNull();
      expect(await sessions.saveIf('chat-1', 0, [user('anew')])).toBe(true);
      expect((await sessions.load('chat-1'))?.messages).toEqual([user('anew')]);
    });

    it('SESSION-07 a revision is not used twice across a delete, so a stale commit is refused', async () => {
      const { open } = newStorage();
      const [a, b] = [open().sessions, open().sessions];
      await a.saveIf('chat-1', 0, [user('one')]);
      await a.saveIf('chat-1', 1, [user('two')]);
      await b.delete('chat-1');
      expect(await a.saveIf('chat-1', 2, [user('stale')])).toBe(false);
      expect(await b.saveIf('chat-1', 0, [user('anew')])).toBe(true);
      expect((await a.load('chat-1'))?.revision).toBe(3);
      for (const stale of [1, 2]) expect(await a.saveIf('chat-1', stale, [user('stale')])).toBe(false);
      expect((await a.load('chat-1'))?.messages).toEqual([user('anew')]);
    });

    it('SESSION-08 an empty transcript is a transcript', async () => {
      const { sessions } = newStorage().open();
      expect(await sessions.saveIf('chat-1', 0, [])).toBe(true);
      expect(await sessions.load('chat-1')).toStrictEqual({ revision: 1, messages: [] });
      expect(await sessions.saveIf('chat-1', 0, [user('one')])).toBe(false);
    });

    it('SESSION-09 transcripts of different ids are independent', async () => {
      const { sessions } = newStorage().open();
      await Promise.all(['a', 'b', 'c'].map((id) => sessions.saveIf(id, 0, [user(id)])));
      await sessions.delete('a');
      expect((await sessions.load('b'))?.messages).toEqual([user('b')]);
      expect(await sessions.saveIf('c', 1, [user('c2')])).toBe(true);
    });
  });
});
