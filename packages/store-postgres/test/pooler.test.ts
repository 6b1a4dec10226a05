import { startPgbouncer, startPostgres } from '@lousho/test-backends';
import { expect, it, onTestFinished } from 'vitest';
import { grown } from './support/checkpoint.js';
import { asker, openStore } from './support/open-store.js';

const CLIENTS = 8;
const RUNS = 3;
const REVISIONS = 12;

it('A28 A29 eight clients behind a transaction pooler with two connections work without an error', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const pooler = await startPgbouncer(server, { poolMode: 'transaction', poolSize: 2 });
  onTestFinished(() => pooler.stop());
  const stores = Array.from({ length: CLIENTS }, () => openStore(pooler.url));
  const holders: string[] = [];
  const errors: unknown[] = [];
  await Promise.all(
    stores.map((store, client) => work(store, client).catch((error: unknown) => errors.push(error))),
  );
  expect(errors).toEqual([]);
  expect(holders).toHaveLength(1);
  const ask = asker(server.url);
  expect(await ask(`SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory'`)).toEqual([
    { locks: 0 },
  ]);

  async function work(
    { checkpoints, approvals, sessions }: (typeof stores)[number],
    client: number,
  ): Promise<void> {
    const owner = `worker-${client}`;
    // One id for which all compete, and some of one's own.
    if (await checkpoints.acquireLease('wanted', owner, 60_000)) holders.push(owner);
    for (let run = 0; run < RUNS; run++) {
      const id = `run-${client}-${run}`;
      expect(await checkpoints.acquireLease(id, owner, 60_000)).toMatchObject({
        epoch: expect.any(Number),
      });
      for (let revision = 1; revision <= REVISIONS; revision++) {
        const vouched = { unchangedMessages: revision - 1 };
        expect(await checkpoints.saveIfLeased(id, grown(id, revision), owner, vouched)).toBe(true);
        expect(await checkpoints.renewLeases([{ sessionId: id, owner }], 60_000)).toEqual([true]);
      }
      expect(await checkpoints.load(id)).toEqual(grown(id, REVISIONS));
      expect(await checkpoints.history(id)).toHaveLength(REVISIONS);
      await checkpoints.releaseLease(id, owner);
    }
    const approval = {
      id: owner,
      toolCallId: 'c',
      toolName: 't',
      args: {},
      createdAt: '2030-01-01T00:00:00Z',
    };
    await approvals.save(approval, {});
    expect(await approvals.decide(owner, { id: owner, approved: true })).toBe('decided');
    expect(await sessions.saveIf(owner, 0, [])).toBe(true);
  }
});
