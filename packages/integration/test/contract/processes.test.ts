import { describe, expect, it } from 'vitest';
import { approval, checkpoint, decision, user } from '../harness/builders.js';
import { onFullStores } from '../harness/on-stores.js';
import type { Elsewhere } from '../harness/start-elsewhere.js';
import type { FullStore, StorageOf } from '../harness/store-kind.js';

const TTL = 60_000;
const ID = 'refund-42';

/** `undefined` where the storage reaches no further than one process, which its capabilities then say. */
async function processesOf(storage: StorageOf<FullStore>, count: number): Promise<Elsewhere[] | undefined> {
  const { reach } = storage.open().checkpoints.capabilities;
  expect(storage.elsewhere !== undefined).toBe(reach !== 'process');
  return storage.elsewhere && Promise.all(Array.from({ length: count }, storage.elsewhere));
}

describe('between processes', () => {
  onFullStores((newStorage) => {
    it('CHECKPOINT-14 a save acknowledged in one process is seen in another', async () => {
      const [a, b] = (await processesOf(newStorage(), 2)) ?? [];
      if (!a || !b) return;
      for (let revision = 1; revision <= 10; revision++) {
        const [writer, reader] = revision % 2 ? [a, b] : [b, a];
        await writer.checkpoints.save(
          ID,
          checkpoint({ revision, businessState: new Uint8Array([revision]) }),
        );
        expect(await reader.checkpoints.load(ID)).toMatchObject({
          revision,
          businessState: new Uint8Array([revision]),
        });
        expect(await reader.checkpoints.history(ID)).toHaveLength(revision);
      }
      await a.checkpoints.delete(ID);
      expect(await b.checkpoints.load(ID)).toBeNull();
    });

    it('LEASE-02 LEASE-05 LEASE-22 FENCE-02 a lease holds in every process', async () => {
      const [a, b] = (await processesOf(newStorage(), 2)) ?? [];
      if (!a || !b) return;
      const first = await a.checkpoints.acquireLease(ID, 'worker-a', TTL);
      expect(await b.checkpoints.acquireLease(ID, 'worker-b', TTL)).toBe(false);
      expect(await b.checkpoints.readLease(ID)).toMatchObject({ owner: 'worker-a' });
      expect(await a.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a')).toBe(true);
      expect(await b.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-b')).toBe(false);
      expect(await b.checkpoints.renewLease(ID, 'worker-b', TTL)).toBe(false);
      await b.checkpoints.releaseLease(ID, 'worker-b');
      expect(await a.checkpoints.renewLease(ID, 'worker-a', TTL)).toBe(true);
      await a.checkpoints.releaseLease(ID, 'worker-a');
      const second = await b.checkpoints.acquireLease(ID, 'worker-b', TTL);
      expect(second).toMatchObject({ epoch: expect.any(Number) });
      expect(Number(Object(second).epoch)).toBeGreaterThan(Number(Object(first).epoch));
      expect(await a.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a')).toBe(false);
    });

    it('LEASE-13 FENCE-12 of owners in four processes one is granted each round, and the saves form one chain', async () => {
      const processes = await processesOf(newStorage(), 4);
      if (!processes) return;
      for (let round = 1; round <= 10; round++) {
        const answers = await Promise.all(
          Array.from({ length: 16 }, async (_, index) => {
            const { checkpoints } = processes[index % 4] as Elsewhere;
            const owner = `worker-${round}-${index}`;
            const lease = await checkpoints.acquireLease(ID, owner, TTL);
            const save = checkpoint({ revision: round, metadata: { owner } });
            const isSaved = await checkpoints.saveIfLeased(ID, save, owner);
            expect(isSaved).toBe(lease !== false);
            return lease === false ? [] : [owner];
          }),
        );
        const winners = answers.flat();
        expect(winners).toHaveLength(1);
        const [winner] = winners as [string];
        const reader = processes[round % 4] as Elsewhere;
        expect(await reader.checkpoints.load(ID)).toMatchObject({
          revision: round,
          metadata: { owner: winner },
        });
        await (processes[Number(winner.split('-')[2]) % 4] as Elsewhere).checkpoints.releaseLease(ID, winner);
      }
      const history = (await processes[0]?.checkpoints.history(ID)) ?? [];
      expect(history.map((entry) => entry.checkpoint.revision)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    });

    it('APPROVAL-07 SESSION-05 one decision and one commit win among processes', async () => {
      const processes = await processesOf(newStorage(), 4);
      if (!processes) return;
      const [first] = processes as [Elsewhere];
      for (let round = 0; round < 5; round++) {
        const id = `approval-${round}`;
        await first.approvals.save(approval({ id }), {});
        const decisions = await Promise.all(
          processes.map(({ approvals }, by) => approvals.decide(id, decision({ id, by }))),
        );
        expect(decisions.filter((answer) => answer === 'decided')).toHaveLength(1);
        expect((await first.approvals.load(id))?.decision?.by).toBe(decisions.indexOf('decided'));
        const commits = await Promise.all(
          processes.map(({ sessions }, by) => sessions.saveIf('chat-1', round, [user(`by ${by}`)])),
        );
        expect(commits.filter(Boolean)).toHaveLength(1);
        expect(await first.sessions.load('chat-1')).toEqual({
          revision: round + 1,
          messages: [user(`by ${commits.indexOf(true)}`)],
        });
      }
    });

    it('LEASE-20 LEASE-21 CLOSE-05 a killed holder’s lease is granted at once as deathProof says, a stopped one’s is not', async () => {
      const storage = newStorage();
      const [dead, stopped, taker] = (await processesOf(storage, 3)) ?? [];
      if (!dead || !stopped || !taker) return;
      const { deathProof, survives } = storage.open().checkpoints.capabilities;
      await dead.checkpoints.acquireLease('dead', 'worker-a', TTL);
      await stopped.checkpoints.acquireLease('stopped', 'worker-b', TTL);
      expect(
        await dead.checkpoints.saveIfLeased(
          'dead',
          checkpoint({ sessionId: 'dead', revision: 1 }),
          'worker-a',
        ),
      ).toBe(true);
      await dead.kill();
      stopped.stop();
      expect((await taker.checkpoints.acquireLease('dead', 'worker-c', TTL)) !== false).toBe(
        deathProof === 'process',
      );
      expect(await taker.checkpoints.acquireLease('stopped', 'worker-c', TTL)).toBe(false);
      const loaded = await taker.checkpoints.load('dead');
      expect(loaded?.revision).toBe(survives === 'nothing' ? undefined : 1);
    });
  });
});
