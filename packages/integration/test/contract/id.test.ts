import { describe, expect, it } from 'vitest';
import { approval, checkpoint, decision, user } from '../harness/builders.js';
import { onCheckpointStores, onFullStores } from '../harness/on-stores.js';
import { refusalOf } from '../harness/refusal-of.js';

const GOOD = [
  'a',
  '0',
  '_',
  '-',
  'a.b',
  'trip.fork-1',
  'chat-1.turn-3',
  'chat-1.paused',
  'nightly.fire',
  'x'.repeat(240),
];
const SPECIAL = [
  'con',
  'nul',
  'CON',
  'aux.x',
  'com1',
  'lpt9.json',
  'a.json',
  'a.tmp',
  '-rf',
  '__proto__',
  'constructor',
];
const BAD: readonly unknown[] = [
  '',
  '.',
  '..',
  '.a',
  'a.',
  '../evil',
  'a/b',
  'a\\b',
  '/etc/passwd',
  'a b',
  'a\n',
  'a\u0000b',
  'é',
  'a%2fb',
  'a:b',
  '~',
  '*',
  'x'.repeat(241),
  '\ud800',
  1,
  null,
  undefined,
  {},
  ['a'],
];

describe('ID', () => {
  onCheckpointStores((newStorage) => {
    it.each([...GOOD, ...SPECIAL])('ID-01 ID-04 the id %s names a checkpoint', async (id) => {
      const { checkpoints } = newStorage().open();
      const saved = checkpoint({ sessionId: id });
      await checkpoints.save(id, saved);
      expect(await checkpoints.load(id)).toEqual(saved);
      expect((await checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual([id]);
      expect(await checkpoints.history(id)).toHaveLength(1);
      await checkpoints.delete(id);
      expect(await checkpoints.load(id)).toBeNull();
    });

    it('ID-02 anything else is refused by every checkpoint method, and nothing is stored', async () => {
      const { checkpoints } = newStorage().open();
      for (const bad of BAD) {
        const id = bad as string;
        const calls = [
          () => checkpoints.save(id, checkpoint({ sessionId: id })),
          () => checkpoints.load(id),
          () => checkpoints.delete(id),
          () => checkpoints.history(id),
        ];
        const codes = await Promise.all(calls.map(refusalOf));
        expect(codes, JSON.stringify(bad)).toEqual(calls.map(() => 'LOUSHO_SESSION_ID_INVALID'));
      }
      expect(await checkpoints.list()).toEqual([]);
    });

    it('ID-03 ids that differ only in case are different', async () => {
      const { checkpoints } = newStorage().open();
      const ids = ['Alice', 'alice', 'ALICE', 'aLICE'];
      for (const [stepIndex, id] of ids.entries())
        await checkpoints.save(id, checkpoint({ sessionId: id, stepIndex }));
      const steps = await Promise.all(ids.map(async (id) => (await checkpoints.load(id))?.stepIndex));
      expect(steps).toEqual([0, 1, 2, 3]);
      expect(await checkpoints.list()).toHaveLength(4);
    });

    it('ID-05 an id that is the beginning of another is apart from it', async () => {
      const { checkpoints } = newStorage().open();
      for (const id of ['a', 'a.turn-1', 'a-b', 'ab'])
        await checkpoints.save(id, checkpoint({ sessionId: id }));
      await checkpoints.delete('a');
      expect((await checkpoints.list()).map(({ sessionId }) => sessionId)).toEqual(['a-b', 'a.turn-1', 'ab']);
      expect(await checkpoints.history('a')).toEqual([]);
      expect(await checkpoints.history('a.turn-1')).toHaveLength(1);
    });
  });

  onFullStores((newStorage) => {
    it.each([...GOOD, ...SPECIAL])('ID-01 ID-04 the id %s names a lease and a transcript', async (id) => {
      const { checkpoints, sessions } = newStorage().open();
      expect(await checkpoints.acquireLease(id, 'worker-a', 1_000)).toBeTruthy();
      expect(await checkpoints.renewLease(id, 'worker-a', 1_000)).toBe(true);
      expect(await checkpoints.saveIfLeased(id, checkpoint({ sessionId: id }), 'worker-a')).toBe(true);
      expect((await checkpoints.listPending()).map(({ sessionId }) => sessionId)).toEqual([id]);
      expect(await sessions.saveIf(id, 0, [user('hello')])).toBe(true);
      expect((await sessions.load(id))?.messages).toEqual([user('hello')]);
    });

    it('ID-02 anything else is refused by every lease and session method, and nothing is stored', async () => {
      const { checkpoints, sessions } = newStorage().open();
      for (const bad of BAD) {
        const id = bad as string;
        const calls = [
          () => checkpoints.acquireLease(id, 'worker-a', 1_000),
          () => checkpoints.renewLease(id, 'worker-a', 1_000),
          () => checkpoints.renewLeases([{ sessionId: id, owner: 'worker-a' }], 1_000),
          () => checkpoints.releaseLease(id, 'worker-a'),
          () => checkpoints.readLease(id),
          () => checkpoints.saveIfLeased(id, checkpoint({ sessionId: id }), 'worker-a'),
          () => sessions.load(id),
          () => sessions.saveIf(id, 0, []),
          () => sessions.delete(id),
        ];
        const codes = await Promise.all(calls.map(refusalOf));
        expect(codes, JSON.stringify(bad)).toEqual(calls.map(() => 'LOUSHO_SESSION_ID_INVALID'));
      }
      expect(await checkpoints.listPending()).toEqual([]);
    });

    it('ID-03 approvals, leases and transcripts keep ids apart that differ only in case', async () => {
      const { approvals, checkpoints, sessions } = newStorage().open();
      await approvals.save(approval({ id: 'Alice', args: 1 }), {});
      await approvals.save(approval({ id: 'alice', args: 2 }), {});
      expect((await approvals.load('Alice'))?.approval.args).toBe(1);
      expect(await checkpoints.acquireLease('Alice', 'worker-a', 1_000)).toBeTruthy();
      expect(await checkpoints.acquireLease('alice', 'worker-b', 1_000)).toBeTruthy();
      await sessions.saveIf('Alice', 0, [user('one')]);
      expect(await sessions.load('alice')).toBeNull();
    });

    it('ID-06 checkpoint, approval and transcript of one id are independent', async () => {
      const { approvals, checkpoints, sessions } = newStorage().open();
      await checkpoints.save('same', checkpoint({ sessionId: 'same' }));
      await approvals.save(approval({ id: 'same' }), {});
      await sessions.saveIf('same', 0, [user('hello')]);
      await checkpoints.delete('same');
      expect(await approvals.load('same')).not.toBeNull();
      await approvals.delete('same');
      expect(await sessions.load('same')).not.toBeNull();
    });

    it('ID-07 an approval id of 200 characters is accepted, any malformed one is refused by save', async () => {
      const { approvals } = newStorage().open();
      await approvals.save(approval({ id: 'x'.repeat(200) }), {});
      for (const id of [...BAD, 'x'.repeat(201)]) {
        const refusal = await refusalOf(() => approvals.save(approval({ id: id as string }), {}));
        expect(refusal, JSON.stringify(id)).toBe('LOUSHO_APPROVAL_ID_INVALID');
      }
      expect(await approvals.list()).toHaveLength(1);
    });

    it('ID-08 a malformed approval id is unknown to load, decide and delete', async () => {
      const { approvals } = newStorage().open();
      for (const bad of BAD) {
        const id = bad as string;
        expect(await approvals.load(id)).toBeNull();
        expect(await approvals.decide(id, decision({ id }))).toBe('not-found');
        await approvals.delete(id);
      }
    });
  });
});
