import type { Checkpoint } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { approval, checkpoint, decision, user } from '../harness/builders.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';

const DAY = 86_400_000;
const NOTHING = { checkpoints: 0, approvals: 0, sessions: 0 };

async function save(
  { checkpoints }: FullStore,
  sessionId: string,
  fields: Partial<Checkpoint> = {},
): Promise<void> {
  await checkpoints.save(sessionId, checkpoint({ sessionId, status: 'finished', ...fields }));
}

async function idsOf({ checkpoints }: FullStore): Promise<string[]> {
  return (await checkpoints.list()).map(({ sessionId }) => sessionId);
}

describe('PRUNE', () => {
  onFullStores((newStorage) => {
    it('PRUNE-01 PRUNE-02 finished checkpoints older than the cutoff go, with their history', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await save(store, 'older');
      clock.advance(1);
      await save(store, 'at-the-cutoff');
      clock.advance(DAY);
      await save(store, 'young');
      expect(await store.prune({ olderThanMs: DAY })).toEqual({ ...NOTHING, checkpoints: 1 });
      expect(await idsOf(store)).toEqual(['at-the-cutoff', 'young']);
      expect(await store.checkpoints.load('older')).toBeNull();
      expect(await store.checkpoints.history('older')).toEqual([]);
      expect(await store.checkpoints.history('at-the-cutoff')).toHaveLength(1);
    });

    it('PRUNE-01 an age of 0 is everything before now', async () => {
      const { clock, open } = newStorage();
      const store = open();
      for (const id of ['a', 'b']) await save(store, id);
      clock.advance(1);
      await save(store, 'now');
      expect(await store.prune({ olderThanMs: 0 })).toEqual({ ...NOTHING, checkpoints: 2 });
      expect(await idsOf(store)).toEqual(['now']);
    });

    it('PRUNE-02 a checkpoint is as old as its latest save', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await save(store, 'a', { revision: 1 });
      clock.advance(2 * DAY);
      await save(store, 'a', { revision: 2 });
      expect(await store.prune({ olderThanMs: DAY })).toEqual(NOTHING);
      expect(await store.checkpoints.load('a')).toEqual(
        checkpoint({ sessionId: 'a', status: 'finished', revision: 2 }),
      );
    });

    it('PRUNE-03 what is not finished stays, with its history, however old', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await store.checkpoints.save('old-data', checkpoint({ sessionId: 'old-data' }));
      await save(store, 'paused', { status: 'awaiting-approval' });
      await save(store, 'running', { status: 'finished' });
      await save(store, 'running', { status: 'in-progress' });
      clock.advance(365 * DAY);
      expect(await store.prune({ olderThanMs: DAY })).toEqual(NOTHING);
      expect(await idsOf(store)).toEqual(['old-data', 'paused', 'running']);
      expect(await store.checkpoints.history('running')).toHaveLength(2);
    });

    it('PRUNE-04 PRUNE-11 a leased id stays, with its lease', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await save(store, 'a');
      clock.advance(2 * DAY);
      await store.checkpoints.acquireLease('a', 'worker-a', 30_000);
      expect(await store.prune({ olderThanMs: DAY })).toEqual(NOTHING);
      expect(await store.checkpoints.renewLease('a', 'worker-a', 30_000)).toBe(true);
      await store.checkpoints.releaseLease('a', 'worker-a');
      expect(await store.prune({ olderThanMs: DAY })).toEqual({ ...NOTHING, checkpoints: 1 });
    });

    it('PRUNE-04 a lease that its holder left to expire keeps nothing, and the holder is fenced by the prune', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await store.checkpoints.acquireLease('a', 'worker-a', 30_000);
      const finished = checkpoint({ sessionId: 'a', revision: 1, status: 'finished' });
      await store.checkpoints.saveIfLeased('a', finished, 'worker-a');
      clock.advance(2 * DAY);
      expect(await store.prune({ olderThanMs: DAY })).toEqual({ ...NOTHING, checkpoints: 1 });
      const late = { ...finished, revision: 2 };
      expect(await store.checkpoints.saveIfLeased('a', late, 'worker-a')).toBe(false);
      expect(await store.checkpoints.load('a')).toBeNull();
    });

    it('PRUNE-11 the lease of an id without a checkpoint is not touched, and a pruned id works again', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await save(store, 'a', { revision: 7 });
      await store.checkpoints.acquireLease('b', 'worker-b', 10 * DAY);
      clock.advance(2 * DAY);
      await store.prune({ olderThanMs: DAY });
      expect(await store.checkpoints.acquireLease('b', 'worker-c', 30_000)).toBe(false);
      expect(await store.checkpoints.acquireLease('a', 'worker-a', 30_000)).toBeTruthy();
      const anew = checkpoint({ sessionId: 'a', revision: 1 });
      expect(await store.checkpoints.saveIfLeased('a', anew, 'worker-a', { unchangedMessages: 1 })).toBe(
        true,
      );
      expect(await store.checkpoints.load('a')).toEqual(anew);
      expect(await store.checkpoints.history('a')).toHaveLength(1);
    });

    it('PRUNE-05 an approval ages from its decision', async () => {
      const { clock, open } = newStorage();
      const store = open();
      for (const id of ['early', 'late']) await store.approvals.save(approval({ id }), {});
      await store.approvals.decide('early', decision({ id: 'early' }));
      clock.advance(2 * DAY);
      await store.approvals.decide('late', decision({ id: 'late' }));
      expect(await store.prune({ olderThanMs: DAY })).toEqual({ ...NOTHING, approvals: 1 });
      expect(await store.approvals.load('early')).toBeNull();
      expect((await store.approvals.load('late'))?.decision).toEqual(decision({ id: 'late' }));
    });

    it('PRUNE-06 an undecided approval stays', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await store.approvals.save(approval(), {});
      clock.advance(365 * DAY);
      expect(await store.prune({ olderThanMs: 0 })).toEqual(NOTHING);
      expect(await store.approvals.list()).toHaveLength(1);
    });

    it('PRUNE-07 a decision that an unfinished run waits for stays until the run is over', async () => {
      const { clock, open } = newStorage();
      const store = open();
      const runs = { one: 'a', two: 'chat-1', three: 'nobody' };
      for (const [id, sessionId] of Object.entries(runs)) {
        await store.approvals.save(approval({ id, sessionId }), {});
        await store.approvals.decide(id, decision({ id }));
      }
      await save(store, 'a', { revision: 1, status: 'awaiting-approval', approvalId: 'one' });
      await save(store, 'chat-1.turn-3', { revision: 1, status: 'in-progress', approvalIds: ['two'] });
      clock.advance(2 * DAY);
      expect(await store.prune({ olderThanMs: DAY })).toEqual({ ...NOTHING, approvals: 1 });
      expect((await store.approvals.load('one'))?.decision).toEqual(decision({ id: 'one' }));
      expect((await store.approvals.load('two'))?.decision).toEqual(decision({ id: 'two' }));
      await save(store, 'a', { revision: 2 });
      await save(store, 'chat-1.turn-3', { revision: 2 });
      expect(await store.prune({ olderThanMs: DAY })).toEqual({ ...NOTHING, approvals: 2 });
    });

    it('PRUNE-08 transcripts age from their last commit, and their revisions are not used again', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await store.sessions.saveIf('old', 0, [user('one')]);
      await store.sessions.saveIf('young', 0, [user('one')]);
      clock.advance(2 * DAY);
      await store.sessions.saveIf('young', 1, [user('one'), user('two')]);
      expect(await store.prune({ olderThanMs: DAY })).toEqual({ ...NOTHING, sessions: 1 });
      expect(await store.sessions.load('old')).toBeNull();
      expect((await store.sessions.load('young'))?.revision).toBe(2);
      expect(await store.prune({ olderThanMs: DAY })).toEqual(NOTHING);
      expect(await store.sessions.saveIf('old', 1, [user('stale')])).toBe(false);
      expect(await store.sessions.saveIf('old', 0, [user('anew')])).toBe(true);
      expect((await store.sessions.load('old'))?.revision, 'SESSION-07').toBe(2);
    });

    it.each(['chat-1', 'chat-1.turn-4', 'chat-1.paused'])(
      'PRUNE-09 a transcript stays while %s is unfinished',
      async (key) => {
        const { clock, open } = newStorage();
        const store = open();
        for (const id of ['chat-1', 'chat-10', 'chat']) await store.sessions.saveIf(id, 0, [user('one')]);
        await save(store, key, { revision: 1, status: 'awaiting-approval' });
        await save(store, 'chat-10.turn-1', { revision: 1 });
        clock.advance(2 * DAY);
        expect(await store.prune({ olderThanMs: DAY })).toEqual({
          checkpoints: 1,
          approvals: 0,
          sessions: 2,
        });
        expect(await store.sessions.load('chat-1')).not.toBeNull();
        await save(store, key, { revision: 2 });
        clock.advance(2 * DAY);
        expect(await store.prune({ olderThanMs: DAY })).toEqual({
          checkpoints: 1,
          approvals: 0,
          sessions: 1,
        });
      },
    );

    it('PRUNE-10 a history that outlived its checkpoint goes once it is old', async () => {
      const { clock, open } = newStorage();
      const store = open();
      await save(store, 'a');
      await store.checkpoints.delete('a', { keepHistory: true });
      clock.advance(DAY);
      await store.prune({ olderThanMs: DAY });
      expect(await store.checkpoints.history('a')).toHaveLength(1);
      clock.advance(1);
      await store.prune({ olderThanMs: DAY });
      expect(await store.checkpoints.history('a')).toEqual([]);
    });

    it('PRUNE-01 one client’s prune is seen by the others', async () => {
      const { clock, open } = newStorage();
      const [store, other] = [open(), open()];
      await save(store, 'a');
      await save(store, 'b', { status: 'in-progress' });
      clock.advance(2 * DAY);
      await other.prune({ olderThanMs: DAY });
      expect(await idsOf(store)).toEqual(['b']);
      expect(await store.checkpoints.load('a')).toBeNull();
    });
  });
});
