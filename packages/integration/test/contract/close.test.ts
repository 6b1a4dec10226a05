import { describe, expect, it } from 'vitest';
import { approval, checkpoint, decision, user } from '../harness/builders.js';
import { onFullStores } from '../harness/on-stores.js';
import { errorOf, refusalOf } from '../harness/refusal-of.js';
import type { FullStore } from '../harness/store-kind.js';

const ID = 'refund-42';

function everyCall(store: FullStore): (() => Promise<unknown>)[] {
  const { approvals, checkpoints, sessions } = store;
  return [
    () => checkpoints.save(ID, checkpoint()),
    () => checkpoints.load(ID),
    () => checkpoints.delete(ID),
    () => checkpoints.list(),
    () => checkpoints.listPending(),
    () => checkpoints.history(ID),
    () => checkpoints.acquireLease(ID, 'worker-a', 1_000),
    () => checkpoints.renewLease(ID, 'worker-a', 1_000),
    () => checkpoints.renewLeases([{ sessionId: ID, owner: 'worker-a' }], 1_000),
    () => checkpoints.releaseLease(ID, 'worker-a'),
    () => checkpoints.saveIfLeased(ID, checkpoint(), 'worker-a'),
    () => checkpoints.readLease(ID),
    () => approvals.save(approval(), {}),
    () => approvals.load('approval-1'),
    () => approvals.list(),
    () => approvals.decide('approval-1', decision()),
    () => approvals.delete('approval-1'),
    () => sessions.load(ID),
    () => sessions.saveIf(ID, 0, []),
    () => sessions.delete(ID),
    () => store.prune({ olderThanMs: 0 }),
  ];
}

describe('CLOSE', () => {
  onFullStores((newStorage) => {
    it('CLOSE-01 every call after close is refused', async () => {
      const store = newStorage().open();
      const calls = everyCall(store);
      await store.close();
      expect(await Promise.all(calls.map(refusalOf))).toEqual(calls.map(() => 'LOUSHO_STORE_CLOSED'));
    });

    it('CLOSE-01 a store that was never used refuses after close too', async () => {
      const store = newStorage().open();
      await store.close();
      expect(await refusalOf(() => store.checkpoints.load(ID))).toBe('LOUSHO_STORE_CLOSED');
    });

    it('CLOSE-02 closing twice succeeds, also at once', async () => {
      const store = newStorage().open();
      await store.checkpoints.save(ID, checkpoint());
      await Promise.all([store.close(), store.close()]);
      await store.close();
    });

    it('CLOSE-03 saves under way at close are whole or refused with a code', async () => {
      const { open } = newStorage();
      const store = open();
      const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
      const saving = ids.map(async (id) => {
        const error = await errorOf(() => store.checkpoints.save(id, checkpoint({ sessionId: id })));
        return { id, code: error?.code };
      });
      await store.close();
      const answers = await Promise.all(saving);
      for (const { code } of answers) expect(code ?? 'LOUSHO_').toMatch(/^LOUSHO_/);
      if (store.checkpoints.capabilities.survives === 'nothing') return;
      const next = open();
      for (const { id, code } of answers) {
        const loaded = await next.checkpoints.load(id);
        if (code === undefined) expect(loaded).toEqual(checkpoint({ sessionId: id }));
        else expect([undefined, id]).toContain(loaded?.sessionId);
      }
    });

    it('CLOSE-04 CLOSE-05 another client works on, and the next one finds everything', async () => {
      const { open } = newStorage();
      const store = open();
      if (store.checkpoints.capabilities.reach === 'process') {
        // One client is all there is: closing it closes the storage.
        await store.close();
        expect(store.checkpoints.capabilities.survives).toBe('nothing');
        return;
      }
      const other = open();
      await store.checkpoints.acquireLease(ID, 'worker-a', 30_000);
      await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      await store.approvals.save(approval(), { step: 1 });
      await store.approvals.decide('approval-1', decision());
      await store.sessions.saveIf('chat-1', 0, [user('one')]);
      await store.close();
      for (const client of [other, open()]) {
        expect(await client.checkpoints.load(ID)).toEqual(checkpoint({ revision: 1 }));
        expect(await client.checkpoints.history(ID)).toHaveLength(1);
        expect(await client.approvals.load('approval-1')).toEqual({
          approval: approval(),
          snapshot: { step: 1 },
          decision: decision(),
        });
        expect(await client.sessions.load('chat-1')).toEqual({ revision: 1, messages: [user('one')] });
        expect((await client.checkpoints.readLease(ID))?.owner).toBe('worker-a');
        expect(await client.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-b')).toBe(
          false,
        );
      }
      expect(await other.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a')).toBe(true);
    });
  });
});
