import { describe, expect, it } from 'vitest';
import { approval, checkpoint, decision, user } from '../harness/builders.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';

async function listedIds({ approvals }: FullStore): Promise<string[]> {
  return (await approvals.list()).map(({ id }) => id);
}

describe('APPROVAL', () => {
  onFullStores((newStorage) => {
    it('APPROVAL-01 a saved approval loads with its snapshot and without a decision, through any client', async () => {
      const { open } = newStorage();
      const snapshot = { checkpoint: checkpoint(), currentMessages: [user('hi')], remainingToolCalls: [] };
      const asked = approval({
        kind: 'question',
        question: { text: 'Where?', options: ['Lisbon'] },
        subagentPath: ['a', 'b'],
      });
      await open().approvals.save(asked, snapshot);
      expect(await open().approvals.load('approval-1')).toStrictEqual({ approval: asked, snapshot });
    });

    it('APPROVAL-02 an unknown id loads as null', async () => {
      expect(await newStorage().open().approvals.load('nobody')).toBeNull();
    });

    it('APPROVAL-03 the undecided ones are listed oldest first, then by id', async () => {
      const store = newStorage().open();
      const times = {
        b: '2030-01-02T00:00:00.000Z',
        c: '2030-01-01T00:00:00.000Z',
        a: '2030-01-02T00:00:00.000Z',
      };
      for (const [id, createdAt] of Object.entries(times))
        await store.approvals.save(approval({ id, createdAt }), {});
      expect(await listedIds(store)).toEqual(['c', 'a', 'b']);
      expect((await store.approvals.list())[0]).toStrictEqual(approval({ id: 'c', createdAt: times.c }));
    });

    it('APPROVAL-03 the order is by the instant, not by its text', async () => {
      const store = newStorage().open();
      const times = {
        third: '2030-01-01T00:00:00.500Z',
        second: '2030-01-01T00:00:00Z',
        first: '2030-01-01T01:30:00+02:00',
        fourth: '2029-12-31T23:30:00-01:00',
      };
      for (const [id, createdAt] of Object.entries(times))
        await store.approvals.save(approval({ id, createdAt }), {});
      expect(await listedIds(store)).toEqual(['first', 'second', 'third', 'fourth']);
    });

    it('APPROVAL-04 a decision is answered once, kept readable, and leaves the list', async () => {
      const { open } = newStorage();
      const [store, other] = [open(), open()];
      await store.approvals.save(approval(), {});
      expect(await store.approvals.decide('approval-1', decision({ note: 'fine' }))).toBe('decided');
      expect((await other.approvals.load('approval-1'))?.decision).toStrictEqual(decision({ note: 'fine' }));
      expect(await listedIds(other)).toEqual([]);
    });

    it('APPROVAL-05 a later decision changes nothing', async () => {
      const { open } = newStorage();
      const [store, other] = [open(), open()];
      await store.approvals.save(approval(), {});
      await store.approvals.decide('approval-1', decision({ approved: false }));
      expect(await other.approvals.decide('approval-1', decision({ approved: true }))).toBe(
        'already-decided',
      );
      expect(await store.approvals.decide('approval-1', decision({ approved: false }))).toBe(
        'already-decided',
      );
      expect((await store.approvals.load('approval-1'))?.decision?.approved).toBe(false);
    });

    it('APPROVAL-06 deciding an unknown id stores nothing', async () => {
      const store = newStorage().open();
      expect(await store.approvals.decide('nobody', decision({ id: 'nobody' }))).toBe('not-found');
      expect(await store.approvals.load('nobody')).toBeNull();
      await store.approvals.save(approval({ id: 'nobody' }), {});
      expect(await listedIds(store)).toEqual(['nobody']);
    });

    it('APPROVAL-07 of 16 deciders at once one is answered decided, and its decision is stored', async () => {
      const { open } = newStorage();
      const clients = [open(), open(), open(), open()];
      for (let round = 0; round < 5; round++) {
        const id = `approval-${round}`;
        await (clients[0] as FullStore).approvals.save(approval({ id }), {});
        const answers = await Promise.all(
          Array.from({ length: 16 }, (_, by) =>
            (clients[by % 4] as FullStore).approvals.decide(id, decision({ id, approved: by % 2 === 0, by })),
          ),
        );
        const winners = answers.flatMap((answer, by) => (answer === 'decided' ? [by] : []));
        expect(winners).toHaveLength(1);
        expect(answers.filter((answer) => answer === 'already-decided')).toHaveLength(15);
        expect((await (clients[1] as FullStore).approvals.load(id))?.decision?.by).toBe(winners[0]);
      }
    });

    it('APPROVAL-08 an undecided one is replaced by saving it again', async () => {
      const store = newStorage().open();
      await store.approvals.save(approval({ args: 1 }), { step: 1 });
      const again = approval({ args: 2, createdAt: '2030-01-05T00:00:00.000Z' });
      await store.approvals.save(again, {});
      expect(await store.approvals.load('approval-1')).toStrictEqual({ approval: again, snapshot: {} });
      expect(await listedIds(store)).toEqual(['approval-1']);
    });

    it('APPROVAL-09 a decided one stays as it is when it is saved again', async () => {
      const store = newStorage().open();
      await store.approvals.save(approval({ args: 1 }), {});
      await store.approvals.decide('approval-1', decision());
      await store.approvals.save(approval({ args: 2 }), {});
      expect(await store.approvals.load('approval-1')).toStrictEqual({
        approval: approval({ args: 1 }),
        snapshot: {},
        decision: decision(),
      });
      expect(await listedIds(store)).toEqual([]);
      expect(await store.approvals.decide('approval-1', decision())).toBe('already-decided');
    });

    it.each([false, true])(
      'APPROVAL-10 a deleted one is gone and can start anew (decided: %s)',
      async (isDecided) => {
        const store = newStorage().open();
        await store.approvals.save(approval(), {});
        if (isDecided) await store.approvals.decide('approval-1', decision());
        await store.approvals.delete('approval-1');
        expect(await store.approvals.load('approval-1')).toBeNull();
        expect(await listedIds(store)).toEqual([]);
        expect(await store.approvals.decide('approval-1', decision())).toBe('not-found');
        await store.approvals.save(approval({ args: 2 }), {});
        expect(await store.approvals.load('approval-1')).toStrictEqual({
          approval: approval({ args: 2 }),
          snapshot: {},
        });
        expect(await store.approvals.decide('approval-1', decision())).toBe('decided');
      },
    );

    it('APPROVAL-11 deleting an unknown id succeeds', async () => {
      await newStorage().open().approvals.delete('nobody');
    });

    it('APPROVAL-12 deciding and deleting leave the others as they are', async () => {
      const store = newStorage().open();
      for (const id of ['a', 'b', 'c']) await store.approvals.save(approval({ id }), {});
      await store.approvals.decide('a', decision({ id: 'a' }));
      await store.approvals.delete('c');
      expect(await listedIds(store)).toEqual(['b']);
      expect((await store.approvals.load('a'))?.decision).toEqual(decision({ id: 'a' }));
    });
  });
});
